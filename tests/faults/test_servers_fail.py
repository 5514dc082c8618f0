import pytest

from tests.faults.faults import OF_SERVERS, Fault, require_nothing_lost
from tests.faults.scene import Scene

pytestmark = pytest.mark.faults


@pytest.mark.parametrize("fault", OF_SERVERS, ids=lambda fault: fault.name)
def test_a_server_that_fails_loses_nothing_doubles_nothing_and_changes_no_score(scene: Scene, fault: Fault) -> None:
    require_nothing_lost(scene, fault)
