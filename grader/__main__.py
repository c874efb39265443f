"""`python -m grader` is `grade`."""

import sys

from .cli import main

sys.exit(main())
