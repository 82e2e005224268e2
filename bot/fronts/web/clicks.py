"""What pages say where the chat names a command to be typed: nobody types anything there."""

from functools import cache

from bot.languages import language
from solver.wording import Language, say_later

_ON_PAGES = {
    # what cannot be done any more
    "this button is out of date: /show shows the table again": say_later(
        "that cannot be done any more: look at how things stand now"
    ),
    "this message can no longer be changed: /show shows the table again": say_later(
        "that cannot be done any more: look at how things stand now"
    ),
    "the game is over: /play begins another": say_later("the game is over; you may begin another"),
    "the game has begun: to stop playing, /resign": say_later(
        "the game has begun: to stop playing, resign"
    ),
    "not everybody who played is here: /play begins a new game": say_later(
        "not everybody who played is here: begin a new game"
    ),
    "nobody else plays yet: others join with /join": say_later(
        "nobody else plays yet: send somebody the link of this game"
    ),
    "nobody else plays yet: /end ends the game": say_later(
        "nobody else plays yet: to stop, end the game"
    ),
    "Others join with /join.": say_later("Others join by the link of this game."),
    "Others join with /join, a bot with /join level:optimal.": say_later(
        "Others join by the link of this game."
    ),
    "Others can /join until the first roll.": say_later(
        "Others may join by the link of this game until the first roll."
    ),
    "game {games} is running here already: finish it, or end it with /end game:{game}": say_later(
        "you have as many open games as you may have: finish one of them, or end it"
    ),
    "game {game} ({names}) is still open here, and nobody has moved in it for a while: finish it,"
    " or put it away by /end game:{game}": say_later(
        "a game with {names} is still open, and nobody has moved in it for a while: finish it, or"
        " end it"
    ),
    'there is no open game "{game}" here; /games lists the open ones': say_later(
        'there is no open game "{game}"'
    ),
    "you have {number} task running ({tasks}), the most one person may have; it is done in about"
    " {time}, and /cancel stops it": say_later(
        "you have {number} tasks running ({tasks}), the most one person may have; try again in"
        " about {time}"
    ),
    # badges
    "this badge is used without dice: /use alone does it": say_later(
        "this badge is used without dice: put them back"
    ),
    "{badge} works without dice: /use alone uses it": say_later(
        "{badge} works without dice: put them back"
    ),
    "say which dice of the roll {badge} is for, such as /use {dice}": say_later(
        "tap the dice of the roll that {badge} is for"
    ),
    "nothing scores: /use DICE uses the badge, /use no takes the farkle": say_later(
        "nothing scores: use the badge on some dice, or take the farkle"
    ),
    "nothing scores: /use uses the badge, /use no takes the farkle": say_later(
        "nothing scores: use the badge, or take the farkle"
    ),
    "Take the farkle with /use no, and keep your badge.": say_later(
        "Take the farkle, and keep your badge."
    ),
    "On the first roll of the game, using it is best {chance} of the time; /advise says so for any"
    " roll.": say_later(
        "On the first roll of the game, using it is best {chance} of the time; Ask says so for any"
        " roll."
    ),
    # dice
    "Fair dice: SHA-256 commitment {commitment}; /seed TEXT adds your own randomness.": say_later(
        "Fair dice: SHA-256 commitment {commitment}."
    ),
    "When game {game} is over, /proof {game} shows its secret and how every roll follows from"
    " it.": say_later(
        "When the game is over, the proof on this page has its secret and how every roll follows"
        " from it."
    ),
    # practice
    "the position of the day: what wins most often? /daily board: who finds it": say_later(
        "the position of the day: what wins most often?"
    ),
    "that position is no longer known here: /daily shows today's": say_later(
        "that position is no longer known here: look at today's"
    ),
    "That position is over: /daily shows today's.": say_later(
        "That position is over: look at today's."
    ),
    "no question is open for you: /drill asks one": say_later(
        "no question is open for you: ask for the next one"
    ),
    "{number:,} game of yours is still to be reviewed: the next /drill does it.": say_later(
        "Games of yours are still to be reviewed, which the next question does."
    ),
    "{number:,} more game is still to be reviewed: the next /stats does it.": say_later(
        "Games are still to be reviewed: look again in a while."
    ),
    "plays by the table that /memo shows, which a person can keep in mind": say_later(
        "plays by a small table that a person can keep in mind"
    ),
    "like memo, but risks everything near the end where /memo says so": say_later(
        "like memo, but risks everything near the end where its table says so"
    ),
    # questions
    "/compare takes rule sets, as in /compare kcd classic": say_later(
        "name rule sets, as in kcd classic"
    ),
    "/duel takes two policies, as in /duel optimal threshold:300 rules:kcd": say_later(
        "name two ways to play, as in optimal threshold:300"
    ),
    "/best-response takes a policy, as in /best-response max-points": say_later(
        "name a way to play, such as max-points"
    ),
    "loaded dice: who wins, which to take; /kcd dice, /kcd badges": say_later(
        "loaded dice: who wins, and which to take"
    ),
    '/kcd does not know what "{words}" belongs to: put commas between dice, and a name of several'
    ' words in quotes, as in my-dice:"2 die of misfortune, 4 odd"': say_later(
        'nobody knows what "{words}" belongs to: choose a list alone, or dice'
    ),
    "/kcd takes your dice, as in my-dice:lucky*3,odd,ordinary*2, or those to choose from, as in"
    " own:lucky*2,odd,devil; /kcd dice lists the dice": say_later(
        "name your dice, as in lucky*3,odd,ordinary*2, or those that you own"
    ),
    "Henry's own luck in the game is not counted: see docs/kingdom-come.md.": say_later(
        "Henry's own luck in the game is not counted, as nobody has published it."
    ),
    "When to risk everything, a rule of thumb and how often all this wins are not worked out yet."
    " That takes about {time}: run farkle memo {rules} once where this program runs, and /memo"
    " shows them from then on.": say_later(
        "When to risk everything, a rule of thumb and how often all this wins are not worked out"
        " yet. That takes about {time}, once whoever runs these pages asks for it by"
        " farkle memo {rules}."
    ),
    "nothing is rolled yet: give the dice, or ask for /odds": say_later(
        "nothing is rolled yet: tap the dice"
    ),
    "this works for two players: name the dice of the strongest opponent; /play, /advise and /odds"
    " take those of several, as in their-dice:{sets}": say_later(
        "this works for two players: name the dice of the strongest opponent"
    ),
    "this works for two players: them: takes one score here; /advise and /odds take several": (
        say_later("this works for two players: their score is one number here")
    ),
    "me or them: who throws first": say_later("who throws first"),
    "me or them: who began, or begins a play-off": say_later("who began, or begins a play-off"),
    # rules
    "the rules {rules} are not solved yet: /rules new NAME base:{base} goal:{goal} does it in"
    " {time}": say_later(
        "the rules {rules} are not solved yet: make house rules from {base} to {goal}, which takes"
        " {time}"
    ),
    "the rules {rules} are not solved yet: /rules solve {rules} does it in {time}": say_later(
        "the rules {rules} are not solved yet: their page has a button for that, which takes {time}"
    ),
    "rules called {rules} exist here already; delete them with /rules delete {rules}, or choose"
    " another name": say_later(
        "rules called {rules} exist here already; delete them on their page, or choose another name"
    ),
    "there are {number} house rules here already, and at most {most} are allowed; delete one first"
    " with /rules delete NAME": say_later(
        "you have {number} house rules already, and at most {most} are allowed; delete some first,"
        " on their page"
    ),
    'there are no house rules "{name}" here: /rules lists them': say_later(
        'there are no house rules "{name}" here'
    ),
    "the rules {rules} are being solved: /rules cancel stops that": say_later(
        "the rules {rules} are being solved: wait until that is done"
    ),
    "the rules {rules} are being solved here: wait, or stop it with /rules cancel": say_later(
        "the rules {rules} are being solved: wait until that is done"
    ),
    "; /rules lists them": "",
    "{rules}: the saved rules are damaged; delete them and make them again with /rules new": (
        say_later("{rules}: the saved rules are damaged; delete them and make them again")
    ),
    "the rules of the position {id} are not known here; make them with /rules new first": say_later(
        "the rules of the position {id} are not known here; make them first"
    ),
    'a rule set\'s name cannot begin with "{word}", which is a command of /rules': say_later(
        'a rule set\'s name cannot begin with "{word}", which means something else here'
    ),
    "{name} is saved; /rules show {name} explains it. Solving {states:,} positions now.": say_later(
        "{name} is saved. Solving {states:,} positions now."
    ),
    "/rules use {name} makes it the rules here.": "",
    "They are not solved yet; /rules solve {name} does it.": say_later("They are not solved yet."),
    "Not solved yet; /rules solve {name} does it.": say_later("Not solved yet."),
    # the form that makes rules
    "no score falls below 0": say_later("the lowest score that there is"),
    "1 to 6; straight-1-5:500 straight-2-6:750": "",
    "3 farkles in a row; 3xeverything,goes-on; none": say_later(
        "farkles in a row and what they cost, such as 3x500, 3xeverything or 3x500,goes-on; or none"
    ),
}
"""By what the chat says what pages say; of a sentence for a number of things by its singular."""


class _OnPages(Language):
    """A language whose sentences name what to click, where those of the chat name commands."""

    def __init__(self, chat: Language) -> None:
        self._chat = chat
        self.code, self.name, self.separators = chat.code, chat.name, chat.separators

    def one(self, message: str) -> str:
        """The translation of a sentence."""
        return self._chat.one(_ON_PAGES.get(message, message))

    def counted(self, one: str, many: str, number: int) -> str:
        """The translation of a sentence for a number of things."""
        if one in _ON_PAGES:
            return self._chat.one(_ON_PAGES[one])
        return self._chat.counted(one, many, number)


@cache
def on_pages(code: str) -> Language:
    """A language of the chat, by its tag, as pages speak it."""
    return _OnPages(language(code))
