import carom
import pytest
import support


@pytest.fixture(scope="session")
def doll():
    """A body with a leg on the floor: two actuators, one of them with an activation, two sensors, a mocap body."""
    return carom.loads(support.DOLL, "doll")


@pytest.fixture(scope="session")
def slide():
    return carom.load(support.SLIDE)


@pytest.fixture
def sim(doll):
    return carom.Sim(doll, dt=0.004)
