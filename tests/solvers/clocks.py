"""Functions that cost seconds of the solver's clock (fixture `clock`)."""


def costly(monkeypatch, clock, owner, name, seconds):
    """Let every call of a function take as many seconds as `seconds(*arguments)` says; returns
    the list of them.
    """
    function, costs = getattr(owner, name), []

    def slow(*arguments, **keywords):
        costs.append(seconds(*arguments))
        clock.seconds += costs[-1]
        return function(*arguments, **keywords)

    monkeypatch.setattr(owner, name, slow)
    return costs
