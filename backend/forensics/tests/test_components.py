import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from backend.forensics.components import connected

PAIRS = some.integers(1, 40).flatmap(
    lambda size: some.tuples(
        some.just(size),
        some.lists(some.tuples(some.integers(0, size - 1), some.integers(0, size - 1)), max_size=60),
    )
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PAIRS)
def test_groups_are_scipys(drawn: tuple[int, list[tuple[int, int]]]) -> None:
    size, pairs = drawn
    left, right = np.array(pairs, np.int64).reshape(-1, 2).T
    graph = coo_array((np.ones(len(left), np.int8), (left, right)), shape=(size, size))
    expected = connected_components(graph, directed=False)[1]
    assert connected(left, right, size).tolist() == expected.tolist()


def test_a_long_chain_in_disorder_is_one_group() -> None:
    chain = np.random.default_rng(5).permutation(200_000)
    groups = connected(chain[:-1], chain[1:], len(chain) + 1)
    assert set(groups[:-1].tolist()) == {0}
    assert groups[-1] == 1


def test_nothing_has_no_group() -> None:
    empty = np.zeros(0, np.int64)
    assert connected(empty, empty, 0).tolist() == []
