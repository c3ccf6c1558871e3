"""``bnlr completion``: a script by which the shell completes commands, options and choices."""

import argparse
import shlex
from collections.abc import Mapping

from bnlr.cli.console import say
from bnlr.cli.options import Commands, add_command

_ABOUT = """\
Print a script that lets the shell complete commands, options and their choices; all else is
completed as the names of files."""

_EXAMPLES = """\
examples:
  bnlr completion bash > ~/.local/share/bash-completion/completions/bnlr
  eval "$(bnlr completion zsh)"                  in ~/.zshrc, after compinit
  bnlr completion fish > ~/.config/fish/completions/bnlr.fish

exit codes: 0 done, 2 bad input"""

_BASH = """\
_bnlr() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} words=
  case "${{COMP_WORDS[1]}} ${{COMP_WORDS[COMP_CWORD-1]}}" in
{choices}
    *) case "${{COMP_WORDS[1]}}" in
{options}
      esac
      [[ $word == -* ]] || words= ;;
  esac
  [[ $COMP_CWORD == 1 ]] && words={commands}
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _bnlr bnlr"""
_ZSH = "autoload -U +X bashcompinit && bashcompinit"

Choices = dict[str, list[str]]


def register(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(
        *(commands, "completion", "let the shell complete commands and options", _ABOUT),
        *(_EXAMPLES, "bash|zsh|fish"),
    )
    parser.add_argument("shell", metavar="SHELL", choices=["bash", "zsh", "fish"])
    parser.set_defaults(run=lambda args: run(args, commands.choices))


def run(args: argparse.Namespace, commands: "Mapping[str, argparse.ArgumentParser]") -> int:
    """Print the script."""
    known = {name: _options(parser) for name, parser in commands.items()}
    if args.shell == "fish":
        say(_fish(known))
    else:
        say((f"{_ZSH}\n" if args.shell == "zsh" else "") + _bash(known))
    return 0


def _options(parser: argparse.ArgumentParser) -> Choices:
    """Return each option with its choices; the empty name has those of the arguments."""
    options: Choices = {"": []}
    for action in parser._actions:
        for name in action.option_strings or [""]:
            options[name] = options.get(name, []) + [str(one) for one in action.choices or ()]
    return options


def _bash(commands: Mapping[str, Choices]) -> str:
    choices = [
        f'    "{name} {option}") words={shlex.quote(" ".join(words))} ;;'
        for name, options in commands.items()
        for option, words in ({name: options[""]} | options).items()
        if option and words
    ]
    options = [
        f"        {name}) words={shlex.quote(' '.join(filter(None, options)))} ;;"
        for name, options in commands.items()
    ]
    return _BASH.format(
        choices="\n".join(choices),
        options="\n".join(options),
        commands=shlex.quote(" ".join([*commands, "--help", "--version"])),
    )


def _fish(commands: Mapping[str, Choices]) -> str:
    lines = [f"complete -c bnlr -f -n __fish_use_subcommand -a {shlex.quote(' '.join(commands))}"]
    for name, options in commands.items():
        of_it = f"complete -c bnlr -n '__fish_seen_subcommand_from {name}'"
        for option, words in options.items():
            values = f" -a {shlex.quote(' '.join(words))}" if words else ""
            if option.startswith("--"):
                lines.append(f"{of_it} -l {option[2:]}{' -x' if words else ''}{values}")
            elif option:
                lines.append(f"{of_it} -s {option[1:]}")
            elif words:
                lines.append(f"{of_it} -f{values}")
    return "\n".join(lines)
