"""Run the tests as Gradescope's containers do, beside a learner's value.py. The report is written to results.json."""

import unittest

from gradescope_utils.autograder_utils.json_test_runner import JSONTestRunner

if __name__ == "__main__":
    with open("results.json", "w") as file:
        JSONTestRunner(visibility="visible", stream=file).run(unittest.defaultTestLoader.discover("tests"))
