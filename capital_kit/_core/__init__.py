"""What every floor stands on: texts, options, HTML, records. Standard library only."""
