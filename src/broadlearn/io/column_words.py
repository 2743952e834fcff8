"""Words that tables are written with: for no value, for yes and no, and on scales, by language."""

from __future__ import annotations

# Texts that stand for no value in a column of numbers or dates; in one of words, the shorter list.
_NO_VALUE = (
    "|na|n/a|n.a.|n.a|nan|null|nil|-|--|---|?|??|.|..|#n/a|#na|#value!|#div/0!|#ref!|#null!|"
    "missing|(missing)|<na>|nat|k.a.|k. a.|n/d|s/d|n.d.|nd|(null)|(blank)|blank|empty"
)
NO_VALUE = frozenset(_NO_VALUE.split("|"))
_NO_NUMBER = (
    "none|unknown|unk|unkn|not available|not applicable|not known|not recorded|not measured|"
    "not reported|no data|no answer|no value|tbd|tba|pending|error|err|invalid|refused|undefined|"
    "keine angabe|keine|unbekannt|fehlt|inconnu|non renseigné|nc|n.c.|n.r.|nr|desconocido|"
    "sin dato|sin datos|no disponible|sconosciuto|inf|x|xx|xxx|*|**|/|see notes|see note|"
    "below detection|bdl|lod|<lod|declined|withheld|absent|not done|void|"
    "0000-00-00|0000-00-00 00:00:00|00.00.0000|00/00/0000|9999-12-31|31.12.9999|12/31/9999|"
    "31/12/9999|9999-12-31 00:00:00|9999-12-31 23:59:59|not disclosed|not specified|undisclosed|"
    "don't know|don’t know|dont know|not stated|not answered|no response|no reply|"
    "prefer not to say|prefer not to answer|weiss nicht|weiss ich nicht|"
    "ne sait pas|nsp|no sabe|ns/nc|no sabe/no contesta|no contesta|não sabe|non so|weet niet|"
    "weet ik niet|geen antwoord|vet ej|nie wiem|nicht angegeben|non précisé|no indicado|"
    "nicht erhoben|nicht gemessen|sin información|sem informação"
)
NO_NUMBER = NO_VALUE | frozenset(_NO_NUMBER.split("|"))
_TRUE = (
    "yes y true t 1 ja j wahr oui o vrai sí si s verdadero verdadeiro sim да on positive pos "
    "present checked active enabled aktiv actif activo ✓ ✔ ☑ ✅ richtig vero waar sann sant tak "
    "prawda ano áno igen evet kyllä da ναι так כן نعم हाँ 是 有 真 はい 예 네 positiv positif "
    "positivo positiva presente vorhanden pass passed detected"
)
TRUE = frozenset(_TRUE.casefold().split())
_FALSE = (
    "no n false f 0 nein falsch non faux falso não nao нет off negative neg absent unchecked "
    "inactive disabled inaktiv inactif inactivo ✗ ✘ ☐ ☒ ❌ ✖ onwaar falsk usann nej nei nee nie "
    "fałsz ne nem hayır hayir ei nu όχι ні לא لا नहीं 否 无 無 假 いいえ 아니요 아니오 negativ "
    "négatif negatif negativo negativa ausente fail failed undetected"
)
FALSE = frozenset(_FALSE.casefold().split())
# Words in their order, from the least on; those with "|" between them are of one rank.
_SCALES = (
    "none|no|nil, very low|vlow|extremely low|minimal|lowest, low|lower|lo, medium low|"
    "below average|moderately low, medium|med|moderate|middle|mid|average|normal|"
    "intermediate, medium high|above average|moderately high, high|higher|hi|elevated, "
    "very high|vhigh|extremely high|"
    "highest, critical|extreme|maximal|urgent|immediate|emergency",
    "trivial, minor, major, critical, blocker",
    "very easy, easy, medium|moderate|normal|average, hard|difficult, very hard|very difficult",
    "cheap|budget|inexpensive, moderate|medium|average|mid range, expensive, very expensive|luxury",
    "little, moderate, quite rich, rich",
    "unskilled, semi skilled, skilled, highly skilled",
    "economy|coach, premium economy|economy plus|eco plus, business|business class, "
    "first|first class",
    "none|no|nil|negative|neg|absent, trace|tr|±, 1+|+, 2+|++, 3+|+++, 4+|++++",
    "negative|neg, trace|equivocal|borderline|indeterminate|weak|weakly positive, positive|pos, "
    "strong positive|strongly positive",
    "niedrig|gering|tief, mittel|normal, hoch, sehr hoch, kritisch|dringend",
    "laag, gemiddeld|midden|middel|normaal, hoog, zeer hoog",
    "muito baixo|muito baixa, baixo|baixa, médio|média|medio|media, alto|alta, "
    "muito alto|muito alta, urgente|crítico|crítica",
    "molto basso|molto bassa, basso|bassa, medio|media, alto|alta, molto alto|molto alta, "
    "urgente|critico|critica",
    "låg|lågt|lav|lavt, medel|middels|middel|mellem, hög|högt|høy|høyt|høj|højt",
    "niski|niska|niskie, średni|średnia|średnie, wysoki|wysoka|wysokie",
    "низкий|низкая|низкое, средний|средняя|среднее, высокий|высокая|высокое",
    "很低|非常低, 低, 中|中等|一般, 高, 很高|非常高",
    "差, 一般|中|可, 良|好, 优|優|很好",
    "小, 中, 大, 特大",
    "낮음, 중간|보통, 높음",
    "sehr niedrig|sehr gering, niedrig|gering, mittel, hoch, sehr hoch",
    "très faible|très bas, faible|bas|basse, moyen|moyenne, élevé|élevée|haut|haute|fort|forte, "
    "très élevé|très élevée|très haut|très fort, critique|urgent|urgente",
    "muy bajo|muy baja, bajo|baja, medio|media, alto|alta, muy alto|muy alta, "
    "urgente|crítico|crítica",
    "xxxs|3xs, xxs|2xs, xs, s, m, l, xl, xxl|2xl, xxxl|3xl, xxxxl|4xl, 5xl",
    "tiny|extra small|very small, small, medium|med|mid|midsize, large|big, extra large|very large|"
    "huge, giant|enormous",
    "pp, p, m, g, gg|xg|eg, xgg|xxg",
    "sehr klein, klein, mittel, groß|gross, sehr groß|sehr gross",
    "petit|petite, moyen|moyenne, grand|grande, très grand|très grande",
    "pequeño|pequeña|chico|pequeno|pequena, mediano|mediana|médio|média|medio, grande, muy grande",
    "piccolo|piccola, medio|media, grande",
    "klein, middel|gemiddeld|medium, groot, zeer groot",
    "liten|lille, middels|medel|mellem|middel, stor, veldig stor|mycket stor|meget stor",
    "mały|mała|małe, średni|średnia|średnie, duży|duża|duże",
    "terrible|very bad|very poor|awful, poor|bad, fair|average|ok|okay|acceptable|satisfactory, "
    "good, very good, excellent|great|ideal|perfect|outstanding, superb",
    "fair, good, very good, premium, ideal",
    "po, fa, ta, gd, ex",
    "ungenügend, mangelhaft, ausreichend, befriedigend, gut, sehr gut",
    "sehr schlecht, schlecht, mittel|mittelmäßig, gut, sehr gut",
    "never, almost never|very rarely, rarely|seldom, occasionally, sometimes, often|frequently, "
    "usually|very often|mostly, always",
    "nie, sehr selten|fast nie, selten, gelegentlich, manchmal, oft|häufig, meistens|sehr oft|"
    "fast immer, immer",
    "jamais, presque jamais, rarement, parfois|quelquefois|de temps en temps, souvent, "
    "presque toujours|très souvent, toujours",
    "nunca, casi nunca|quase nunca, rara vez|raramente|pocas veces, ocasionalmente, "
    "a veces|algunas veces|às vezes|as vezes, a menudo|frecuentemente|con frecuencia|"
    "frequentemente|muchas veces|muitas vezes, casi siempre|quase sempre, siempre|sempre",
    "mai, quasi mai, raramente, a volte|qualche volta|talvolta, spesso, quasi sempre, sempre",
    "nooit, zelden, soms, vaak|regelmatig, altijd",
    "not at all, several days, more than half the days, nearly every day",
    "not at all|none, slightly|a little|a little bit|a bit, somewhat|moderately, "
    "quite a bit|quite a lot|considerably|very, extremely|very much|completely|a lot",
    "much worse, worse|slightly worse|somewhat worse, same|the same|about the same|no change|"
    "unchanged, better|slightly better|somewhat better|improved, much better|much improved",
    "strongly disagree, disagree, somewhat disagree, neutral|neither agree nor disagree, "
    "somewhat agree, agree, strongly agree",
    "stimme überhaupt nicht zu|stimme gar nicht zu, stimme nicht zu|stimme eher nicht zu, "
    "neutral|teils teils|weder noch, stimme zu|stimme eher zu, stimme voll zu|stimme völlig zu|"
    "stimme voll und ganz zu",
    "trifft nicht zu|trifft gar nicht zu, trifft eher nicht zu|trifft kaum zu, teils teils, "
    "trifft eher zu, trifft zu|trifft voll zu",
    "pas du tout d'accord, plutôt pas d'accord|pas d'accord, neutre|sans opinion|"
    "ni d'accord ni pas d'accord, plutôt d'accord|d'accord, tout à fait d'accord",
    "totalmente en desacuerdo|muy en desacuerdo, en desacuerdo, neutral|"
    "ni de acuerdo ni en desacuerdo|indiferente, de acuerdo, totalmente de acuerdo|muy de acuerdo",
    "discordo totalmente, discordo|discordo parcialmente, neutro|indiferente, "
    "concordo|concordo parcialmente, concordo totalmente",
    "very dissatisfied, dissatisfied|somewhat dissatisfied, neutral, satisfied|somewhat satisfied, "
    "very satisfied",
    "sehr unzufrieden, unzufrieden|eher unzufrieden, neutral|teils teils, "
    "zufrieden|eher zufrieden, sehr zufrieden",
    "rare|remote|very unlikely, unlikely, neutral|possible, likely|probable, "
    "very likely|almost certain|certain|frequent",
    "negligible|insignificant, minor|marginal, moderate, major|critical|significant, "
    "catastrophic|severe",
    "definitely not|certainly not|definitely no, probably not|probably no, "
    "might or might not|maybe|not sure|unsure|possibly, probably yes|probably, "
    "definitely yes|definitely|certainly yes|yes definitely",
    "sedentary|inactive|not active, lightly active|light|slightly active, "
    "moderately active|moderate|active, very active|highly active|vigorous, extremely active",
    "severely underweight, underweight, normal|normal weight|healthy weight, "
    "overweight|preobese, obese|obesity, severely obese|morbidly obese|extremely obese",
    "untergewicht, normalgewicht, übergewicht, adipositas",
    "far below average|well below average, below average, average, above average, "
    "far above average|well above average",
    "никогда, редко, иногда, часто, всегда",
    "nigdy, rzadko, czasami|czasem, często, zawsze",
    "hiçbir zaman|hiç|asla, nadiren, bazen, sık sık|sıklıkla, her zaman",
    "从不|从来没有, 很少, 偶尔, 有时, 经常, 总是",
    "全くない|まったくない, めったにない, たまに|まれに, 時々|ときどき, よく|しばしば, いつも|常に",
    "非常不同意|完全不同意, 不同意|不太同意, 一般|中立|不确定, 同意|比较同意, 非常同意|完全同意",
    "全くそう思わない|まったくそう思わない, そう思わない|あまりそう思わない, どちらともいえない|"
    "どちらでもない, そう思う|ややそう思う, とてもそう思う|強くそう思う",
    "非常不满意|很不满意, 不满意, 一般, 满意, 非常满意|很满意",
    "전혀 그렇지 않다, 그렇지 않다, 보통이다, 그렇다, 매우 그렇다",
    "none|no|absent, trace|minimal, mild|slight|minor, moderate, severe|major|serious, "
    "very severe|critical|life threatening, fatal|death",
    "keine|kein, leicht|gering, mittel|mäßig|moderat|mittelschwer, schwer|stark, sehr schwer|"
    "lebensbedrohlich",
    "léger|légère|bénin, modéré|modérée, sévère|grave, critique",
    "leve|lieve, moderado|moderada|moderato|moderata, grave|severo|severa, crítico|crítica|critico",
    "muy malo|muy mala|pésimo, malo|mala|deficiente, regular, bueno|buena, muy bueno|muy buena, "
    "excelente",
    "péssimo|péssima, ruim, regular, bom|boa, muito bom|muito boa, ótimo|ótima|excelente",
    "très mauvais, mauvais|médiocre, passable|moyen, assez bien, bon|bien, très bon|très bien, "
    "excellent",
    "pessimo, scarso|insufficiente, sufficiente, discreto, buono, ottimo|eccellente",
    "not important, slightly important, moderately important, important, very important",
    "bronze, silver, gold, platinum, diamond",
    "free, basic, standard, plus, premium|pro, enterprise",
    "beginner|novice|basic, intermediate, advanced, expert|professional, master",
    "intern|trainee, junior|entry|entry level, mid|middle|intermediate|mid level, "
    "senior|senior level, lead|staff, principal|manager, "
    "director, vp, executive",
    "freshman, sophomore, junior, senior",
    "first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth",
    "l, m, h",
    "zero|none|no, one, two, three, four, five, six, seven, eight, nine, ten",
    "freezing, cold, cool, mild, warm, hot, very hot",
    "very slow, slow, medium|moderate|average, fast|quick, very fast",
    "very short, short, medium|average, tall|long, very tall|very long",
    "very weak, weak, medium|moderate|average, strong, very strong",
    "very light, light, medium, heavy|dark, very heavy",
    "narrow, medium, wide",
    "thin, medium, thick",
    "shallow, medium, deep",
    "dry, normal, wet",
    "near|close, medium, far|distant",
    "young, middle|middle aged|middle-aged, old|elderly",
    "infant|baby, toddler, child, teen|teenager|adolescent, young adult, adult, middle aged, "
    "senior|elderly",
    "morning, noon, afternoon, evening, night",
    "early, mid|middle, late",
    "never, less than once a year|less than yearly|rarely, yearly|annually|once a year, "
    "a few times a year|several times a year, quarterly|every few months|less than monthly|"
    "less than once a month, monthly|once a month, biweekly|a few times a month|"
    "several times a month, weekly|once a week, a few times a week|several times a week, "
    "daily|every day|once a day|almost daily|daily or almost daily, several times a day|hourly",
    "nie, seltener|weniger als monatlich, jährlich, quartalsweise|vierteljährlich, "
    "monatlich, wöchentlich, mehrmals pro woche, täglich, mehrmals täglich",
    "jamais, une fois par an|annuel|annuellement, trimestriel, mensuel|une fois par mois, "
    "hebdomadaire|une fois par semaine, quotidien|tous les jours|chaque jour",
    "lower class|working class|lower, lower middle class|lower middle, middle class|middle, "
    "upper middle class|upper middle, upper class|upper",
    "new, like new, very good, good, acceptable|fair, poor, for parts",
    "new, used, worn, broken",
    "no education|none|illiterate|no formal education, primary|elementary|primary school|"
    "elementary school|preschool|primary education, middle school|lower secondary|some high school|"
    "less than high school, secondary|high school|hs|secondary school|hs-grad|ged|"
    "high school graduate|high school diploma|upper secondary|upper secondary school|"
    "secondary education, some college|vocational|diploma|trade school, "
    "associate|associates|associate's|associate degree|associate's degree|assoc, "
    "bachelor|bachelors|bachelor's|college|undergraduate|university|tertiary|bsc|ba|b.sc.|b.a.|"
    "bachelor degree|bachelor's degree|higher education|college degree, "
    "master|masters|master's|graduate|postgraduate|msc|ma|mba|m.sc.|m.a.|master degree|"
    "master's degree|graduate degree, phd|doctorate|doctoral|ph.d.|ph.d|doctor|doctorate degree",
    "kein abschluss|ohne abschluss|kein schulabschluss|ohne schulabschluss, "
    "hauptschule|hauptschulabschluss, realschule|realschulabschluss|"
    "mittlere reife, abitur|gymnasium|fachabitur, ausbildung|lehre|berufsausbildung, bachelor, "
    "master|diplom|studium|hochschule|hochschulabschluss|universität, promotion|doktor",
    "primaria|primaire|primario, secundaria|secondaire|bachillerato|collège, lycée|bac, "
    "universidad|universitaria|université|licence|grado, máster|maestría|posgrado, doctorado|"
    "doctorat",
    "mon|monday, tue|tues|tuesday, wed|wednesday, thu|thur|thurs|thursday, fri|friday, "
    "sat|saturday, sun|sunday",
    "lun|lundi|lunes|lunedì, mar|mardi|martes|martedì, mer|mié|mie|mercredi|miércoles|mercoledì, "
    "jeu|jue|gio|jeudi|jueves|giovedì, ven|vie|vendredi|viernes|venerdì, "
    "sam|sáb|sab|samedi|sábado|sabato, dim|dom|dimanche|domingo|domenica",
    "segunda|segunda feira|seg, terça|terça feira|ter, quarta|quarta feira|qua, "
    "quinta|quinta feira|qui, sexta|sexta feira|sex, sábado|sáb|sab, domingo|dom",
    "ma|maandag, di|dinsdag, wo|woensdag, do|donderdag, vr|vrijdag, za|zaterdag, zo|zondag",
    "mo|montag, di|dienstag, mi|mittwoch, do|donnerstag, fr|freitag, sa|samstag, so|sonntag",
    "jan|january|januar, feb|february|februar, mar|march|märz|mär, apr|april, may|mai, "
    "jun|june|juni, jul|july|juli, aug|august, sep|sept|september, oct|october|okt|oktober, "
    "nov|november, dec|december|dez|dezember",
    "janvier|janv, février|févr|fév, mars, avril|avr, mai, juin, juillet|juil, août, "
    "septembre|sept, octobre|oct, novembre|nov, décembre|déc",
    "enero|ene|janeiro|jan|gennaio|gen, febrero|feb|fevereiro|fev|febbraio, "
    "marzo|mar|março, abril|abr|aprile|apr, mayo|may|maio|mai|maggio|mag, "
    "junio|jun|junho|giugno|giu, julio|jul|julho|luglio|lug, agosto|ago, "
    "septiembre|sep|sept|setembro|set|settembre, octubre|oct|outubro|out|ottobre|ott, "
    "noviembre|nov|novembro|novembre, diciembre|dic|dezembro|dez|dicembre",
    "d, c, b, a, aa, aaa",
    "d, c, cc, ccc, b, bb, bbb, a, aa, aaa",
    "d, c, cc, ccc-, ccc, ccc+, b-, b, b+, bb-, bb, bb+, bbb-, bbb, bbb+, a-, a, a+, aa-, aa, aa+, "
    "aaa",
    "f, e-, e, e+, d-, d, d+, c-, c, c+, b-, b, b+, a-, a, a+",
    "i, ii, iii, iv, v, vi, vii, viii, ix, x, xi, xii",
    "ia, ib, iia, iib, iiia, iiib, iva, ivb",
    "low risk, medium risk|moderate risk, high risk",
    "below, within|at, above",
    "decreasing|down|falling, stable|flat|unchanged, increasing|up|rising",
)
# For each scale, the rank of its words.
SCALES = [
    {
        word.strip(): rank
        for rank, step in enumerate(scale.casefold().split(","))
        for word in step.split("|")
    }
    for scale in _SCALES
]
