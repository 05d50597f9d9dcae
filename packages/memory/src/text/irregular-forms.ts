import { stemmer } from 'stemmer'

/**
 * English verbs and nouns with forms that no rule of endings brings together, each behind its plain form. Left out are
 * the forms that are as often another word, such as *ground*, *rose* and *wound*, and those whose stem is another
 * word's, such as *lives* and *leaves*.
 */
const irregular = `
  arise arose arisen|awake awoke awoken|beat beaten|become became|begin began begun|bend bent|bite bitten|
  bleed bled|blow blew blown|break broke broken|breed bred|bring brought|build built|burn burnt|buy bought|
  catch caught|choose chose chosen|cling clung|come came|creep crept|deal dealt|die died|dig dug|draw drew drawn|
  dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|
  find found|flee fled|fling flung|fly flew flown|forbid forbade forbidden|forget forgot forgotten|
  forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go goes went gone|grow grew grown|
  hang hung|hear heard|hide hid hidden|hold held|keep kept|kneel knelt|know knew known|lay laid|lead led|
  lean leant|leap leapt|learn learnt|leave left|lend lent|lie lied|light lit|lose lost|make made|mean meant|
  meet met|mistake mistook mistaken|outgrow outgrew outgrown|overcome overcame|overhear overheard|pay paid|
  rebuild rebuilt|rewrite rewrote rewritten|ride rode ridden|ring rang rung|rise risen|run ran|say said|
  see saw seen|seek sought|sell sold|send sent|sew sewn|shake shook shaken|shine shone|shoot shot|show shown|
  shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid|smell smelt|speak spoke spoken|
  speed sped|spell spelt|spend spent|spill spilt|spin spun|spoil spoilt|spring sprang sprung|stand stood|
  steal stole stolen|stick stuck|sting stung|stink stank stunk|stride strode|strike struck|strive strove striven|
  swear swore sworn|sweep swept|swell swollen|swim swam swum|swing swung|take took taken|teach taught|
  tear tore torn|tell told|think thought|throw threw thrown|tie tied|undergo underwent undergone|
  understand understood|wake woke woken|wear wore worn|weave wove woven|weep wept|win won|
  withdraw withdrew withdrawn|write wrote written|calf calves|child children|foot feet|goose geese|half halves|
  hoof hooves|knife knives|loaf loaves|man men|mouse mice|ox oxen|scarf scarves|shelf shelves|thief thieves|
  tooth teeth|wife wives|wolf wolves|woman women`

/** The stem of the plain form, by the stem of an irregular one: `bought` gives `bui`, as `buy` and `buys` do. */
export const plainStems: ReadonlyMap<string, string> = new Map(
  irregular.split('|').flatMap((group) => {
    const [plain = '', ...others] = group.trim().split(' ').map(stemmer)
    return others.map((other): [string, string] => [other, plain])
  }),
)
