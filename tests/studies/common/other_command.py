"""A command that is no study."""


def run(args):
    return args.seeds
