"""Missing cells, where they are not summed out as `network.posteriors` does by default.

States of their own (`as_state`), and masks in training for holes to come. Columns or coded rows
enter and leave.
"""
