"""Answers of surveys by degree: an opinion, its opposite, and how strongly it is held."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Fewer levels are names of two groups rather than a scale.
MIN_LEVELS = 3
# More levels are no scale of answers.
MAX_LEVELS = 20

# Opinions of one kind in several languages, and their opposites; "_" joins words that go together.
_OPINIONS = (
    (
        "agree stimme_zu stimmt trifft_zu d'accord de_acuerdo acuerdo d'accordo concordo eens "
        "mee_eens enig instämmer zgadzam_się согласен katılıyorum samaa_mieltä true",
        "disagree desacuerdo en_desacuerdo disaccordo in_disaccordo discordo oneens mee_oneens "
        "uenig désaccord en_désaccord nie_zgadzam_się не_согласен katılmıyorum eri_mieltä untrue",
    ),
    (
        "satisfied zufrieden satisfait satisfaite satisfecho satisfecha satisfeito satisfeita "
        "soddisfatto soddisfatta tevreden nöjd zadowolony fornøyd tilfreds",
        "dissatisfied unsatisfied unzufrieden insatisfait insatisfaite mécontent insatisfecho "
        "insatisfecha insatisfeito insatisfeita insoddisfatto insoddisfatta ontevreden missnöjd "
        "niezadowolony misfornøyd utilfreds",
    ),
    (
        "likely probable wahrscheinlich probabile provável waarschijnlijk sannolikt",
        "unlikely improbable unwahrscheinlich improbabile improvável onwaarschijnlijk osannolikt",
    ),
    ("important wichtig importante belangrijk viktigt", "unimportant unwichtig onbelangrijk"),
    ("concerned worried besorgt", "unconcerned"),
    ("happy glücklich content feliz felice", "unhappy unglücklich malheureux infeliz infelice"),
    ("comfortable", "uncomfortable"),
    ("confident sicher", "unconfident unsicher"),
    ("helpful useful hilfreich nützlich utile útil", "unhelpful useless inutile inútil"),
    ("interested interessiert intéressé interesado", "uninterested uninteressiert"),
    ("familiar vertraut", "unfamiliar"),
    ("positive positiv positif positivo", "negative negativ négatif negativo"),
    ("favorable favourable", "unfavorable unfavourable"),
    ("effective", "ineffective"),
    ("willing", "unwilling"),
    ("safe", "unsafe"),
    ("easy einfach leicht facile fácil", "difficult hard schwer schwierig difficile difícil"),
    ("strong stark", "weak schwach"),
)
# What stands beside them, by strength; negations turn an opinion round.
_DEGREES = {
    "a little|a bit|slightly|little|wenig|poco|pouco|un peu|peu|ein wenig|etwas|lite|"
    "een beetje": 0.5,
    "somewhat|partly|partially|eher|teilweise|plutôt|algo|parcialmente|in parte|enigszins|delvis|"
    "raczej|parcialmente|tend to|mildly": 1.0,
    "moderately|mäßig|mittelmäßig|moyennement|moderadamente|abbastanza|bastante|tamelijk": 1.5,
    "fairly|rather|quite|assez|ziemlich|vrij|ganska": 1.7,
    "": 2.0,
    "mostly|largely|generally|überwiegend|weitgehend|mayormente|grotendeels": 2.5,
    "very|very much|highly|sehr|très|muy|molto|muito|heel|zeer|erg|mycket|veldig|bardzo": 3.0,
    "strongly|extremely|completely|totally|fully|absolutely|entirely|definitely|voll|völlig|ganz|"
    "voll und ganz|vollkommen|äußerst|tout à fait|totalement|extrêmement|fortement|totalmente|"
    "completamente|extremadamente|fortemente|completamente|del tutto|pienamente|helemaal|volledig|"
    "uiterst|helt|zdecydowanie|полностью|kesinlikle|täysin": 4.0,
}
_DENIALS = {
    "not|no|nicht|pas|non|niet|inte|nie|не": -2.0,
    "not really|not very|not so|not too|eher nicht|kaum|plutôt pas|pas vraiment|niet echt": -1.0,
    "not at all|überhaupt nicht|gar nicht|pas du tout|per niente|per nulla|nada|para nada|"
    "helemaal niet|totaal niet|inte alls|wcale nie|in no way": -4.0,
}
_STRENGTH = {
    word: strength
    for table in (_DEGREES, _DENIALS)
    for words, strength in table.items()
    for word in words.casefold().split("|")
}
_NEUTRAL = re.compile(
    r"neutral|neutre|neutro|neutraal|neutrale|neutralny|neither|undecided|unsure|not sure|"
    r"no opinion|sans opinion|sin opinión|unentschieden|teils teils|teils|weder noch|mittel|mixed|"
    r"indifferent|indifférent|indiferente|indifferente|nie mam zdania|trudno powiedzieć|"
    r"kararsızım|затрудняюсь ответить|не знаю|"
    r"(?:neither|weder|ni|né|noch|não|varken) .+ (?:nor|noch|ni|né|nem|eller) .+|in between"
)


def opinion_order(keys: Sequence[str]) -> list[str] | None:
    """Answers by degree from one end to the other, if they are such.

    Parameters
    ----------
    keys : sequence of str
        In lower case, with single spaces.

    Examples
    --------
    >>> opinion_order(["slightly agree", "completely disagree", "agree", "undecided"])
    ['completely disagree', 'undecided', 'slightly agree', 'agree']
    >>> opinion_order(["agree", "sign", "read"]) is None
    True
    """
    if not MIN_LEVELS <= len(keys) <= MAX_LEVELS:
        return None
    plain = {key: " ".join(re.sub(r"[-_/,.’]", _blank, key).split()) for key in keys}
    for positive, negative in _OPINIONS:
        signed = [(words.split("_"), 1.0) for words in positive.casefold().split()]
        signed += [(words.split("_"), -1.0) for words in negative.casefold().split()]
        # The longest first: of "nie zgadzam się" more is told than of "zgadzam się".
        signed.sort(key=lambda pair: -len(pair[0]))
        ranks = {key: _rank(text, signed) for key, text in plain.items()}
        found = [rank for rank in ranks.values() if rank is not None]
        if len(found) == len(keys) and len({*found} - {0.0}) > 1:
            return sorted(keys, key=lambda key: (ranks[key] or 0.0, key))
    return None


def _blank(mark: re.Match[str]) -> str:
    return "'" if mark[0] == "’" else " "


def _rank(text: str, opinions: Sequence[tuple[list[str], float]]) -> float | None:
    """How far an answer is from the middle of its scale."""
    if _NEUTRAL.fullmatch(text):
        return 0.0
    words = text.split()
    for opinion, sign in opinions:
        if all(word in words for word in opinion):
            rest = " ".join(word for word in words if word not in opinion)
            strength = _STRENGTH.get(rest)
            if strength is not None:
                return sign * strength
    return None
