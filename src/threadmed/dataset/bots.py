"""Programs that answer unasked on Reddit; data."""

NAMES = """
alternate-source-bot amputatorbot anti-gif-bot automoderator autotldr
b0trank botrickbateman clickablelinkbot commonmisspellingbot converter-bot
could-of-bot dadjokes_bot fatfingerhelperbot gifreversingbot gifv-bot goodbot_badbot
haikubot-1911 haikusbot helperbot_ image_linker_bot imgurtranscriber linkfixerbot
metric_units phonebatterylevelbot profanitycounter remindmebot savevideo
sneakpeekbot sub_doesnt_exist_bot thelinkfixerbot timezone_bot totes_meta_bot
totesmessenger tweetposter useles-converter-bot vredditdownloader
wikipedia_answer_bot wikisummarizerbot wikitextbot youtubefactsbot
"""

BOTS = frozenset(NAMES.split())
"""Their names in lower case, held against names exactly and without regard to case: no
rule on names that end in "bot", since people have such names.

AutoModerator is the one that matters on r/AskDocs.
Thirty of the others are on the list that comes with Watchful1/PushshiftDumps
(scripts/ignored.txt); the rest are left out as bots in published code that analyses
Reddit comments.
"""
