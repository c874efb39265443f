"""type: has a mock where the class belongs: it can do anything."""

import unittest.mock

Value = unittest.mock.MagicMock
