/** Names of passwords in languages that put one right behind its name, with no word for “is”. */
const verbless =
  'пароль|şifre(?:m|miz|niz|si)?|parolam|jelszavam|kata (?:sandi|laluan)|mật khẩu|密码|密碼|口令|パスワード|暗証番号|비밀번호|পাসওয়ার্ড|รหัสผ่าน|كلم[ةه] (?:المرور|السر|مروري)|رمز عبور|סיסמ[הא]'

/** The same, with what makes one's own of it, or “is” within the word. */
export const verblessNames = `(?:${verbless})(?: (?:saya|của tôi|שלי))?[是为為は는은]?`

/** What a password is called, and cannot mean anything else. Alternatives of a regular expression, for any letter case. */
export const passwordNames = `pass(?:word|wort|wd|phrase|code|ord(?:et)?)|pwd|kennwort|contrase(?:ñ|n|ny)a|hasło|heslo|jelszó|lösenord(?:et)?|adgangskoden?|mot[ _-]de[ _-]passe|senha|wachtwoord|salasana|lozinka|парола(?:та)?|κωδικός πρόσβασης|पासवर्ड|${verbless}`

/** What a password is called by some, and much else by others. */
export const vagueNames = String.raw`(?<!\p{L}|palabras? )(?:clave|parola|chave|chiave|κωδικός)`

/** Between name and secret in a sentence. */
export const copulas =
  'is|was|to|ist|war|lautet|es|era|est|é|è|är|er|jest|brzmi|je|este|είναι|является|—|là|adalah|है|هي|هو|היא|הוא'

/** What begins the words between them, as in “the password of the router is”. */
export const prepositions =
  'for|of|to|für|von|vom|zum|zur|de|del|du|para|pour|da|do|di|per|к|от|для|ke?|od|na|til|för|voor|van|saya|của|الخاصة?'
