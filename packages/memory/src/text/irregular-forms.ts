import { stemmer } from 'stemmer'

/**
 * English verbs and nouns with forms that no rule of endings brings together, each behind its plain form. Left out are
 * the forms that are as often another word, such as *ground*, *rose*, *wound*, *lives* and *leaves*, and those that
 * are somebody's name, such as *Drew*.
 */
const irregular = `
  arise arose arisen|awake awoke awoken|beat beaten|become became|begin began begun|bite bitten|
  bleed bled|blow blew blown|break broke broken|breed bred|bring brought|build built|burn burnt|buy bought|
  catch caught|choose chose chosen|cling clung|come came|creep crept|deal dealt|die dies died dying|dig dug|draw drawn|
  dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|
  find found|flee fled|fling flung|fly flew flown|forbid forbade forbidden|foresee foresaw foreseen|forget forgot forgotten|
  forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go goes went gone|grow grew grown|
  hang hung|hear heard|hide hid hidden|hold held|keep kept|kneel knelt|know knew known|lay laid|
  lean leant|leap leapt|learn learnt|leave left|lend lent|lie lies lied lying lain|light lit|lose lost|make made|mean meant|
  meet met|mislead misled|mistake mistook mistaken|misunderstand misunderstood|outgrow outgrew outgrown|
  overcome overcame|overhear overheard|oversleep overslept|overtake overtook overtaken|pay paid|prove proven|
  rebuild rebuilt|repay repaid|rethink rethought|retell retold|rewrite rewrote rewritten|ride rode ridden|ring rang|
  rise risen|run ran|say said|see saw seen|seek sought|sell sold|send sent|sew sewn|shake shook shaken|
  shine shone|shoot shot|show shown|shrink shrank shrunk|sing sang|sink sank sunk|sit sat|sleep slept|slide slid|
  speak spoke spoken|speed sped|spend spent|spill spilt|spin spun|spit spat|spoil spoilt|spring sprang sprung|
  stand stood|steal stole stolen|stick stuck|sting stung|stink stank stunk|stride strode|strike struck|string strung|
  strive strove striven|swear swore sworn|sweep swept|swell swollen|swim swam swum|swing swung|take took taken|
  teach taught|tear tore torn|tell told|think thought thoughts|throw threw thrown|tie ties tied tying|undergo underwent undergone|
  understand understood|undertake undertook undertaken|undo undid undone|unwind unwound|uphold upheld|wake woke woken|
  wear wore worn|weave wove woven|weep wept|win won|withdraw withdrew withdrawn|withhold withheld|wring wrung|
  write wrote written|businessman businessmen|calf calves|child children|fireman firemen|fisherman fishermen|foot feet|
  goose geese|grandchild grandchildren|half halves|hoof hooves|knife knives|loaf loaves|man men|mouse mice|ox oxen|
  person people|policeman policemen|salesman salesmen|scarf scarves|shelf shelves|snowman snowmen|thief thieves|
  tooth teeth|wife wives|wolf wolves|woman women`

/**
 * The stem of the plain form, by an irregular form in lower case: `bought` gives `bui`, as `buy` and `buys` do. By the
 * form and not by its stem, which may be another word's: *founded* is no *found*.
 */
export const plainStems: ReadonlyMap<string, string> = new Map(
  irregular.split('|').flatMap((group) => {
    const [plain = '', ...forms] = group.trim().split(' ')
    return forms.map((form): [string, string] => [form, stemmer(plain)])
  }),
)
