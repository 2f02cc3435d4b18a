"""What the comparison of rotation counts."""

import unittest

from harness.rotation.run import Result
from harness.rotation.workers import THIEF_FIRST, Outcome


def result(*outcomes, **counts):
    return Result("a server", "1", outcomes=list(outcomes), **counts)


ENDED = Outcome(THIEF_FIRST, thief_refreshes=False, client_refreshes=False, is_access_left=False)
ACCESS_LEFT = Outcome(THIEF_FIRST, thief_refreshes=False, client_refreshes=False, is_access_left=True)
CLIENT_LEFT = Outcome(THIEF_FIRST, thief_refreshes=False, client_refreshes=True, is_access_left=True)
THIEF_LEFT = Outcome(THIEF_FIRST, thief_refreshes=True, client_refreshes=False, is_access_left=True)


class ResultTests(unittest.TestCase):
    """The columns of the table, and the exit code."""

    def test_a_theft_is_caught_when_nobody_can_refresh(self):
        counted = result(ENDED, ACCESS_LEFT, CLIENT_LEFT, THIEF_LEFT)
        self.assertEqual((counted.caught, counted.ended, counted.kept), (2, 1, 1))

    def test_a_run_passes_only_without_a_false_sign_out_and_with_every_session_ended(self):
        self.assertTrue(result(ENDED, ENDED).has_passed)
        self.assertFalse(result(ENDED, false_sign_outs=1).has_passed)
        self.assertFalse(result(ENDED, unusable=1).has_passed)
        for outcome in (ACCESS_LEFT, CLIENT_LEFT, THIEF_LEFT):
            self.assertFalse(result(ENDED, outcome).has_passed)


if __name__ == "__main__":
    unittest.main()
