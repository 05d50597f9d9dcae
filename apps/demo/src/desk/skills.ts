import { defineSkill, type Skill } from '@symfonic/preflight'

/** The rules of the desk, as its authors wrote them. */
export const deskSkills: readonly Skill[] = Object.freeze([
  defineSkill({
    label: 'Read before you cancel',
    content: 'Nobody cancels a trip they have not looked at: the fare decides what is paid back.',
    actionTool: 'cancel_reservation',
    precondition: ['read_reservation'],
    sourceTag: 'authored:travel-desk',
  }),
  defineSkill({
    label: 'Read before you change',
    content: 'A change starts from the booking as it is, not as somebody remembers it.',
    actionTool: 'change_flight',
    precondition: ['read_reservation'],
    sourceTag: 'authored:travel-desk',
  }),
  defineSkill({
    label: 'Slack formatting',
    content: 'Slack does not read Markdown. Answers there go through the formatter.',
    actionTool: 'format_for_slack',
    precondition: [{ state: { path: 'page_context.platform', op: 'eq', value: 'slack' } }],
    sourceTag: 'authored:travel-desk',
  }),
  // SKILL-06: an earlier tool and several conditions on the state, in one list.
  defineSkill({
    label: 'Own memory in a channel',
    content: 'In a channel many people speak. See whose memory it is before you write to it.',
    actionTool: 'remember_preference',
    precondition: [
      'recall_preferences',
      { state: { path: 'page_context.platform', op: 'eq', value: 'slack' } },
      { state: { path: 'page_context.slack_user_name', op: 'exists' } },
    ],
    sourceTag: 'authored:travel-desk',
  }),
])
