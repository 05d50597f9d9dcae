/**
 * English words that nearly every text has, and that tell texts apart no better than a blank would.
 * Lower case, without apostrophes. They are left out of the index and of queries alike.
 */
export const stopWords: ReadonlySet<string> = new Set(
  `a about after again all also am an and any are arent as at be because been before being both but by
  can cant could couldnt did didnt do does doesnt doing dont down during each few for from further had
  hadnt has hasnt have havent having he her here hers herself him himself his how i if im in into is
  isnt it its itself ive just let lets me more most my myself no nor not now of off on once only or
  other our ours ourselves out over own same she shes should shouldnt so some such than that thats the
  their theirs them themselves then there theres these they theyre theyve this those through to too
  under until up us very was wasnt we were werent weve what whats when where which while who whom whos
  whose why will with wont would wouldnt you youd youll your youre yours yourself yourselves youve`
    .split(/\s+/u)
    .filter((word) => word !== ''),
)
