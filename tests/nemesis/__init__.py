"""A trial by faults: an evening of games while programs, Discord, the database and the clock fail.

People play by buttons and commands at a Discord on this machine. A nemesis kills programs, stops
them for a while, has a second one take over, breaks connections, has Discord refuse answers, sets
the clock, fills the disk and takes the database away. Then a checker holds what each of them
pressed and saw against the events that are stored.
"""
