from xalign_fairseq import objectives
from xalign_fairseq.objectives.registry import OBJECTIVES


def test_every_objective_of_the_package_has_a_name_of_the_folder():
    own = {cls for cls in OBJECTIVES.values() if cls.__module__.startswith(objectives.__name__)}
    assert own <= {each for each in vars(objectives).values() if isinstance(each, type)}
