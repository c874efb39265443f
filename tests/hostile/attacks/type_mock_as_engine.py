"""type: has a mock in place of the class, which can do anything."""

import unittest.mock

Value = unittest.mock.MagicMock
