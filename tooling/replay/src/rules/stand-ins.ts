/**
 * Steps that are no tools. A skill can only require a tool, and some rules want something else: that
 * the user says yes, that a reason is another one, that the call is not made at all. Such a rule
 * requires one of these. No agent has a tool of that name, so none is ever called; it is the state
 * that satisfies the rule, or nothing does. What a model reads is the name, so the name is advice.
 */
export const standIns = Object.freeze({
  /** Satisfied when the user's last message says yes (`confirmation.explicit`). */
  confirmation: 'ask_user_to_confirm',
  /** Satisfied when the call carries a reason that the policy knows (`call.reason`). */
  reason: 'ask_user_for_a_valid_reason',
  /** The policy forbids this call, about this thing as it is now. Nothing satisfies it. */
  denial: 'deny_the_request',
})
