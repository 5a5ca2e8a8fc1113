"""A function that lets other functions take a given time on the solver's clock (fixture
`clock`).
"""


def costly(monkeypatch, clock, owner, name, seconds):
    """Let every call of a function take `seconds(*arguments)` on the clock.

    Return the list to which each call adds its seconds.
    """
    function, costs = getattr(owner, name), []

    def slow(*arguments, **keywords):
        costs.append(seconds(*arguments))
        clock.seconds += costs[-1]
        return function(*arguments, **keywords)

    monkeypatch.setattr(owner, name, slow)
    return costs
