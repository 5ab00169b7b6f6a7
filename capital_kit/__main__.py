"""``python -m capital_kit``: the same as the command ``capital-kit``."""

from capital_kit.cli import main

raise SystemExit(main())
