"""Coverage-guided fuzzing of all that strangers may hand in.

    .venv/bin/python -m pip install -e '.[fuzz]' -c constraints.txt    # atheris, on Linux
    .venv/bin/python -m tests.fuzz chat --seconds 60
    .venv/bin/python -m tests.fuzz all --seconds 600

| target | what it is given |
|---|---|
| chat | lines, as people and bots at a console type them |
| rules | files of rules, up to whether they could be solved |
| events | the stored events of a game, which is then looked at and played on |
| proofs | proofs of dice, as `farkle verify` reads them |
| discord | presses, commands and suggestions, as Discord sends them |
| pages | requests by a real HTTP client: paths, questions, forms and cookies |

Each begins with examples from the tests, and changes them in whatever way reaches code that was not
reached before. A find is any exception but a FarkleError, a reply or a line in the log that says
the program failed, or more than some seconds without an answer. Finds are written to a folder, the
input beside what came of it, and the exit status is 1. What is in that folder can be tried again:

    .venv/bin/python -m tests.fuzz chat --again build/fuzz/chat/finds/0123456789ab

The corpus stays in the folder, so that the next run goes on where this one stopped.
"""
