import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createScrubber, scrubSecrets } from './scrub.ts'
import { secretKinds } from './scrub-secrets.ts'

// Put together here, so that no text of this repository looks like a secret.
const letters = (count: number) => 'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0z'.repeat(9).slice(0, count)
const hex = (count: number) => '0a1b2c3d4e5f6789'.repeat(9).slice(0, count)
const digits = (count: number) => '1234567890'.repeat(9).slice(0, count)
const upper = (count: number) => 'Q7ZX3WV5RT2KLM8N'.repeat(9).slice(0, count)
const join = (...parts: string[]) => parts.join('')
const pem = (type: string) =>
  `-----BEGIN ${type}KEY-----\n${letters(64)}\n${letters(64)}\n${letters(20)}==\n-----END ${type}KEY-----`

const secrets: { kind: string; secret: string; around?: [string, string] }[] = [
  { kind: 'aws-access-key', secret: join('AKI', 'A', upper(16)) },
  { kind: 'aws-access-key', secret: join('ASI', 'A', upper(16)) },
  { kind: 'aws-bedrock-key', secret: join('ABS', 'K', letters(80)) },
  {
    kind: 'secret',
    secret: `${letters(20)}/+${letters(18)}`,
    around: ['aws_secret_access_key = ', ''],
  },
  { kind: 'secret', secret: `IQo${letters(200)}==`, around: ['AWS_SESSION_TOKEN=', ''] },
  { kind: 'google-api-key', secret: join('AIz', 'a', letters(35)) },
  { kind: 'google-oauth-token', secret: join('ya2', '9.', letters(60)) },
  { kind: 'google-oauth-token', secret: join('1/', '/0', letters(40)) },
  { kind: 'google-client-secret', secret: join('GOCS', 'PX-', letters(28)) },
  {
    kind: 'private-key',
    secret: pem('PRIVATE ').replaceAll('\n', '\\n'),
    around: ['{"private_key":"', '"}'],
  },
  { kind: 'azure-client-secret', secret: join('abc', '8', 'Q~', letters(34)) },
  {
    kind: 'azure-key',
    secret: `${letters(86)}==`,
    around: ['AccountName=x;AccountKey=', ';EndpointSuffix=y'],
  },
  {
    kind: 'azure-key',
    secret: `${letters(43)}=`,
    around: ['SharedAccessKeyName=r;SharedAccessKey=', ''],
  },
  {
    kind: 'azure-sas',
    secret: `${letters(40)}%3D`,
    around: ['https://a.example/b?sv=2022&sig=', ''],
  },
  { kind: 'github-token', secret: join('gh', 'p_', letters(36)) },
  { kind: 'github-token', secret: join('gh', 's_', letters(36)) },
  { kind: 'github-token', secret: join('github', '_pat_', letters(22), '_', letters(59)) },
  { kind: 'gitlab-token', secret: join('gl', 'pat-', letters(20)) },
  { kind: 'bitbucket-token', secret: join('AT', 'BB', letters(32)) },
  { kind: 'atlassian-token', secret: join('ATA', 'TT3', letters(180), '=', upper(8)) },
  { kind: 'slack-token', secret: join('xo', 'xb-', digits(12), '-', digits(12), '-', letters(24)) },
  { kind: 'slack-token', secret: join('xa', 'pp-1-', upper(11), '-', digits(13), '-', hex(64)) },
  {
    kind: 'slack-webhook',
    secret: `T${upper(8)}/B${upper(8)}/${letters(24)}`,
    around: ['https://hooks.slack.com/services/', ''],
  },
  {
    kind: 'discord-webhook',
    secret: `${digits(18)}/${letters(68)}`,
    around: ['https://discord.com/api/webhooks/', ''],
  },
  { kind: 'discord-token', secret: join('MT', letters(24), '.', letters(6), '.', letters(38)) },
  { kind: 'telegram-token', secret: join(digits(10), ':A', 'A', letters(33)) },
  { kind: 'stripe-key', secret: join('sk', '_live_', letters(24)) },
  { kind: 'stripe-key', secret: join('rk', '_test_', letters(99)) },
  { kind: 'stripe-webhook-secret', secret: join('wh', 'sec_', letters(32)) },
  { kind: 'square-token', secret: join('sq0', 'csp-', letters(43)) },
  { kind: 'shopify-token', secret: join('shp', 'at_', hex(32)) },
  { kind: 'paypal-token', secret: join('access_token', '$production$', hex(16), '$', hex(32)) },
  { kind: 'openai-key', secret: join('s', 'k-', letters(48)) },
  { kind: 'openai-key', secret: join('s', 'k-proj-', letters(40), '_', letters(40)) },
  { kind: 'openai-key', secret: join('s', 'k-', hex(32)) },
  { kind: 'anthropic-key', secret: join('sk', '-ant-', 'api03-', letters(93), 'AA') },
  { kind: 'openrouter-key', secret: join('sk', '-or-v1-', hex(64)) },
  { kind: 'npm-token', secret: join('np', 'm_', letters(36)) },
  { kind: 'pypi-token', secret: join('py', 'pi-', 'AgEIcHlwaS5vcmc', letters(100)) },
  { kind: 'rubygems-key', secret: join('ruby', 'gems_', hex(48)) },
  { kind: 'docker-token', secret: join('dckr', '_pat_', letters(27)) },
  { kind: 'digitalocean-token', secret: join('dop', '_v1_', hex(64)) },
  { kind: 'heroku-key', secret: join('HR', 'KU-', hex(8), '-', hex(4), '-', hex(4), '-', hex(16)) },
  { kind: 'sendgrid-key', secret: join('S', 'G.', letters(22), '.', letters(43)) },
  { kind: 'mailgun-key', secret: join('ke', 'y-', hex(32)) },
  { kind: 'mailchimp-key', secret: join(hex(32), '-u', 's14') },
  { kind: 'twilio-key', secret: join('S', 'K', hex(32)) },
  { kind: 'huggingface-token', secret: join('h', 'f_', letters(34)) },
  { kind: 'replicate-token', secret: join('r', '8_', letters(37)) },
  { kind: 'groq-key', secret: join('gs', 'k_', letters(52)) },
  { kind: 'perplexity-key', secret: join('pp', 'lx-', letters(48)) },
  { kind: 'xai-key', secret: join('xa', 'i-', letters(80)) },
  { kind: 'databricks-token', secret: join('da', 'pi', hex(32)) },
  { kind: 'new-relic-key', secret: join('NR', 'AK-', upper(27)) },
  { kind: 'grafana-token', secret: join('gl', 'sa_', letters(32), '_', hex(8)) },
  { kind: 'vault-token', secret: join('hv', 's.', letters(90)) },
  { kind: 'terraform-token', secret: join(letters(14), '.atlas', 'v1.', letters(67)) },
  { kind: 'vercel-token', secret: join('vc', 'p_', letters(24)) },
  { kind: 'service-token', secret: join('vercel_blob', '_rw_', letters(40)) },
  { kind: 'linear-key', secret: join('lin', '_api_', letters(40)) },
  { kind: 'notion-token', secret: join('nt', 'n_', letters(46)) },
  { kind: 'figma-token', secret: join('fig', 'd_', letters(40)) },
  { kind: 'airtable-token', secret: join('pa', 't', letters(14), '.', hex(64)) },
  { kind: 'postman-key', secret: join('PM', 'AK-', hex(24), '-', hex(34)) },
  { kind: 'sentry-token', secret: join('sn', 'trys_', letters(80)) },
  { kind: 'supabase-key', secret: join('sb', 'p_', hex(40)) },
  { kind: 'planetscale-token', secret: join('pscale', '_tkn_', letters(43)) },
  { kind: 'doppler-token', secret: join('dp', '.pt.', letters(43)) },
  { kind: 'dropbox-token', secret: join('s', 'l.', letters(130)) },
  { kind: 'age-secret-key', secret: join('AGE-SECRET', '-KEY-1', upper(58)) },
  { kind: 'jwt', secret: join('ey', 'J', letters(30), '.ey', 'J', letters(60), '.', letters(43)) },
  { kind: 'private-key', secret: pem('RSA PRIVATE ') },
  { kind: 'private-key', secret: pem('OPENSSH PRIVATE ') },
  {
    kind: 'connection-string',
    secret: 'app:p4ss/w@rd',
    around: ['postgresql://', '@db.internal:5432/app'],
  },
  {
    kind: 'connection-string',
    secret: 'root:toor',
    around: ['mongodb+srv://', '@cluster0.example.net'],
  },
  { kind: 'connection-string', secret: ':s3cr3t', around: ['redis://', '@cache:6379/0'] },
  { kind: 'url-password', secret: 'ann:letmein', around: ['https://', '@example.org/x?y=a@b'] },
  {
    kind: 'password',
    secret: 'Hunter2!',
    around: ['Server=db;User Id=sa;Password=', ';Encrypt=true'],
  },
  { kind: 'password', secret: 'hunter', around: ['PGPASSWORD=', ' psql'] },
  { kind: 'password', secret: 'my dog Rex', around: ['{"password": "', '"}'] },
  { kind: 'password', secret: 'my dog Rex\\', around: ['{\\"password\\": \\"', '"}'] },
  { kind: 'password', secret: 'hunter2', around: ['My password is ', ', please keep it.'] },
  { kind: 'password', secret: 'geheim123', around: ['Das Passwort ist ', ' heute'] },
  { kind: 'password', secret: '4711', around: ['the PIN is ', ' as always'] },
  { kind: 'password', secret: 'abc123xyz', around: ['密码: ', ''] },
  { kind: 'password', secret: 'hunter22', around: ['machine a.example login ann password ', ' x'] },
  { kind: 'password', secret: 'ann:letmein', around: ['curl -s -u ', ' https://a.example'] },
  {
    kind: 'authorization',
    secret: 'YW5uOmxldG1laW4=',
    around: ['Authorization: Basic ', '\nAccept: */*'],
  },
  { kind: 'authorization', secret: letters(30), around: ['"authorization": "Bearer ', '"'] },
  { kind: 'bearer-token', secret: letters(40), around: ['send Bearer ', ' with it'] },
  { kind: 'cookie', secret: `sid=${letters(20)}; theme=dark`, around: ['Cookie: ', '\n'] },
  { kind: 'secret', secret: hex(32), around: ['X-Api-Key: ', ''] },
  { kind: 'secret', secret: hex(24), around: ["client_secret: '", "'"] },
  { kind: 'secret', secret: hex(24), around: ['//npm.example/:_authToken=', ''] },
  { kind: 'secret', secret: hex(24), around: ['The API key is ', ' for now.'] },
  { kind: 'password', secret: 'hunter2xx', around: ['export DB_PASS=', ' && run'] },
  { kind: 'password', secret: 'letmein', around: ['SMTP_PASS="', '"'] },
  { kind: 'password', secret: 'bob:pw', around: ['curl --user ', ' https://a.example'] },
  { kind: 'password', secret: 'hunter2xx', around: ['mysql --password ', ' -h db'] },
  { kind: 'password', secret: 'let me in', around: ['<password>', '</password>'] },
  { kind: 'password', secret: 'hunter2xx', around: ['密码：', ''] },
  { kind: 'password', secret: 'hunter2xx', around: ['password：', ''] },
  { kind: 'password', secret: 'hunter2xx', around: ['我的密码是', '。'] },
  { kind: 'password', secret: 'hunter2xx', around: ['パスワードは', 'です'] },
  { kind: 'password', secret: 'Geheim123', around: ['Mein Passwort lautet ', ' heute'] },
  { kind: 'password', secret: 'Geheim123!', around: ['Kennwort: ', ''] },
  { kind: 'password', secret: 'letmein', around: ['user: ann\npassword: ', '\nhost: db'] },
  { kind: 'password', secret: '4829', around: ['PIN: ', ', as always'] },
  {
    kind: 'signed-address',
    secret: hex(64),
    around: ['https://b.example/x?X-Amz-Expires=60&X-Amz-Signature=', ''],
  },
  { kind: 'authorization', secret: btoa('ann:letmein'), around: ['{"auth":"', '"}'] },
  { kind: 'secret', secret: hex(40), around: ['"private_key_id": "', '"'] },
  { kind: 'github-token', secret: join('gh', 'p_', letters(36)), around: ['_', '_'] },
  {
    kind: 'private-key',
    secret: `\n${letters(64)}\n${letters(20)}==`,
    around: ['PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2', '\nPrivate-MAC: 1'],
  },
  { kind: 'card-number', secret: '4111.1111.1111.1111' },
  { kind: 'card-number', secret: '4111\u202f1111\u202f1111\u202f1111' },
  { kind: 'card-number', secret: '4111 1111 1111 1111', around: ['pay order 12 ', ' by 12/27'] },
  { kind: 'card-number', secret: join('5555', '5555', '5555', '4444') },
  { kind: 'card-number', secret: join('3782', '822463', '10005') },
]

/** A password that is told, as people say it. */
const toldPasswords: readonly string[] = [
  'my password is @',
  'the password for the router is @',
  'Das Passwort für den Drucker ist @',
  'Mein Passwort war @',
  'mi contraseña es @',
  'la contraseña del wifi es @',
  'la clave es @',
  'Clave: @',
  'a senha da conta é @',
  'minha chave é @',
  'le mot de passe est @',
  'la mia password è @',
  'la parola è @',
  'het wachtwoord is @',
  'lösenordet: @',
  'lösenord är @',
  'adgangskode er @',
  'passord er @',
  'salasana: @',
  'hasło to @',
  'moje hasło brzmi @',
  'heslo je @',
  'lozinka je @',
  'a jelszavam @',
  'jelszó: @',
  'parola este @',
  'паролата: @ или парола: @',
  'мой пароль @',
  'пароль — @',
  'ο κωδικός πρόσβασης είναι @',
  'ο κωδικός είναι @',
  'şifrem @',
  'şifre: @',
  'parolam @',
  'كلمة المرور هي @',
  'كلمة المرور الخاصة بي هي @',
  'كلمة السر @',
  'رمز عبور @',
  'הסיסמה היא @',
  'הסיסמה שלי @',
  'पासवर्ड है @',
  'kata sandi saya adalah @',
  'kata sandi @',
  'mật khẩu là @',
  'mật khẩu của tôi @',
  'รหัสผ่าน @',
  '密码@',
  '我的密碼為@',
  'パスワード@です',
  '비밀번호 @ 입니다',
]

/** What stands beside the same words and is no password. */
const aboutPasswords: readonly string[] = [
  'La clave es la paciencia, y la clave es 2024: hay que esperar.',
  'Palabras clave: COVID-19, verano2024, SEO2024abc. Nivel clave: alto.',
  'La clave es Covid-19, 24-horas y 10kilos; el enclave es Kaliningrado39.',
  'La parola è bella. La chiave è sotto il tappeto; a chave é 12345.',
  'The password policy of the team is ISO27001, and the hash is SHA256.',
  'The password to the vault is with Ann in room B12.',
  'Пароль неверный, пароль 2 раза не подошёл.',
  'şifre değiştirildi, şifreler 12 karakter; parola unutuldu',
  'كلمة المرور خاطئة 3 مرات',
  '密码错误3次, 密码SHA256加密, パスワードは8文字以上, 비밀번호는 8자 이상',
  'Kata sandi harus 8 karakter; mật khẩu phải có 8 ký tự.',
  'Hasło roku 2024 to miłość. Heslo dne: radost 2024.',
  'user_2NNEqL2nrIRdJ194ndJqAHwEfxC, cus_live_dashboard_overview_page, api_key_rotation_policy_of_the_team',
  'test_api_returns_404_when_user_missing, create_api_key_for_user_account_v2_handler',
  'session_token_rotation_policy_2024_final, crm_api_create_customer_record_v2',
]

const ordinary = [
  ...aboutPasswords,
  'The password is required and must be at least 8 characters long.',
  'Password: required. Secret: none. Token: optional.',
  'I forgot my password, and the secret is out: the token economy is booming.',
  'He bears responsibility; the bearer of bad news has basic understanding.',
  'The basic authorization: granted. Cookie: chocolate chip, please.',
  'Call +49 170 1234567 or 555-0199, order 4111 1111 1111 1112, ISBN 978-3-16-148410-0.',
  'Reservation ZFA04Y, payment certificate_2842147, credit_card_7815826, gift_card_4332117.',
  'Commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b, id 550e8400-e29b-41d4-a716-446655440000.',
  'See https://example.org:8080/a/@ann?x=1#y and postgres://localhost:5432/app and mailto:ann@example.org.',
  'git@github.com:ann/repo.git, ssh://git@example.org:22/repo.git',
  'sk-learn-tutorial-for-beginners-2024-edition, xoxo-hugs-and-kisses, pypi-server-1-installation-guide-for-everyone-2024',
  'const token = await getToken(); if (password === undefined) return',
  'She prefers pass:through over pass:by, and her passport is valid until 2031-05-06.',
  'Enter your password: required. password: string; passwort: optional, password: userPassword',
  'I forgot my password: can you help? The password: see below. Forgot password: reset, Passwort: vergessen',
  'first_pass=true, by_pass: enabled, SINGLE_PASS = false, boarding_pass: valid, compass=north',
  'Use --password to set it, --user ann; <password></password> "auth": "required", "auth":"deadbeef"',
  'GPIO PIN 1234, PIN board, and pin: 4829 nails. Signature=none, ＡＢＣ１２３, a\u200db',
  'tokens: 12000, max_tokens: 128000, secretary: Ms Miller, author: Ann',
  'π ≈ 3.14159265358979, 0.4111111111111111, 2026-03-14T09:30:00Z, 192.168.0.1:5432',
  'npm_config_cache, hf_hub_download, ghp_short, AKIA, AIza, eyJ, SG.com, key-value',
  'The access key is under the mat. The API key is stored in the vault of the team.',
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
  '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----',
]

describe('secrets in a text', () => {
  it('are of more than 30 kinds, and each kind has a case here', () => {
    const kinds = new Set(secretKinds.map(({ kind }) => kind))
    expect(kinds.size).toBeGreaterThan(50)
    expect(kinds).toEqual(new Set(secrets.map(({ kind }) => kind)))
  })

  it.each(secrets)(
    'are removed, and nothing else: $kind',
    ({ kind, secret, around = ['', ''] }) => {
      const [before, after] = around
      const sentence = { start: 'Ann said: "', end: '". Then she left.' }
      for (const { start, end } of [{ start: '', end: '' }, { start: 'x ', end: ' y' }, sentence]) {
        if (start === sentence.start && /"|password|\n/i.test(before + secret + after)) continue
        const scrubbed = scrubSecrets(`${start}${before}${secret}${after}${end}`)
        expect(scrubbed.text).toBe(`${start}${before}[removed:${kind}]${after}${end}`)
        expect(scrubbed.kinds).toEqual([kind])
      }
    },
  )

  it.each(ordinary)('are not seen in ordinary text: %s', (text) => {
    expect(scrubSecrets(text)).toEqual({ text, kinds: [] })
  })

  it.each(toldPasswords)('are found where a person tells one: %s', (said) => {
    for (const password of ['hunter22', 'Geheim12!']) {
      const { text } = scrubSecrets(said.replaceAll('@', password))
      expect(text).toBe(said.replaceAll('@', '[removed:password]'))
    }
  })

  it('are all removed from one text', () => {
    const text = secrets.map(({ secret, around = ['', ''] }) => around.join(secret)).join('\n\n')
    const scrubbed = scrubSecrets(text)
    for (const { secret } of secrets) expect(scrubbed.text).not.toContain(secret)
    expect(new Set(scrubbed.kinds)).toEqual(new Set(secrets.map(({ kind }) => kind)))
  })

  it('are removed with what follows when a private key is cut off', () => {
    const text = `${pem('EC PRIVATE ').slice(0, 100)}\nand more\n${pem('RSA PRIVATE ')}\nthe end`
    expect(scrubSecrets(text).text).toBe('[removed:private-key][removed:private-key]\nthe end')
  })

  it.each([
    join('gh', 'p_', letters(10), '\u200b', letters(30)),
    join('sk-', '\u00ad', 'ant-api03-', letters(8), '\u00ad', letters(32)),
    join('ｇｈｐ_', letters(36)),
    '４１１１ １１１１ １１１１ １１１１',
  ])('are found behind what the eye does not see: %j', (secret) => {
    expect(scrubSecrets(`x ${secret} y`).text).toMatch(/^x \[removed:[a-z-]+\] y$/)
  })

  it('are removed to the last character, however long they are', () => {
    for (const before of ['password=', 'password: "', 'X-Api-Key: ', 'Bearer ', 'Cookie: sid=']) {
      const { text } = scrubSecrets(`${before}${letters(250).repeat(40)}`)
      expect(text).not.toContain(letters(30))
    }
  })

  const piece = fc.oneof(
    fc.constantFrom(...secrets.map(({ secret }) => secret)),
    fc.constantFrom(...secrets.flatMap(({ around = [''] }) => around)),
    fc.constantFrom(
      'password=',
      'token: "',
      'https://',
      'user:',
      '@',
      '"',
      ' ',
      '\n',
      '[removed:',
      ']',
    ),
    fc.constantFrom(...secretKinds.map(({ kind }) => `[removed:${kind}]`)),
    fc.string({ maxLength: 6 }),
  )
  const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))

  it('are gone after one scrubbing: another changes nothing', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = scrubSecrets(text).text
        expect(scrubSecrets(once)).toEqual({ text: once, kinds: [] })
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    '-----BEGIN PRIVATE KEY-----',
    'eyJaaaaaaaa.',
    'eyJ-',
    'a://b:',
    'postgres://a:b',
    'password',
    'password: "',
    'password=(',
    'authorization: basic ',
    'cookie: a',
    'curl -u ',
    'curl --user ',
    '_ghp_',
    'ghp_',
    'eyJaaaaaaaa_',
    'sk-ant-api03-',
    'DB_PASS=',
    '--a-a-a-password ',
    '<password>a',
    '"auth":"a',
    'Private-Lines: 1\n',
    'password: aaaaa',
    '\u200b',
    'şifrem 1',
    'şifrem a1-',
    'password for a ',
    'password of of ',
    'clave: 1',
    'a_key_',
    'ab_key_1',
    'login a password ',
    'sk-',
    'sk-aB',
    'secret ',
    'api_key is ',
    '4111 ',
    '4111',
    'a.b~',
    '\\',
    '"',
    ' ',
  ])('are looked for in linear time: %j again and again', (part) => {
    // Quadratic behaviour would take minutes here, and the test would run out of time.
    const text = part.repeat(Math.ceil(400_000 / part.length))
    expect(scrubSecrets(text).text.length).toBeGreaterThan(0)
  })
})

describe('a scrubber', () => {
  const token = join('gh', 'p_', letters(36))

  it('drops credential keys and removes secrets from all texts, keys included', () => {
    const { properties } = createScrubber()
    const value = { note: `uses ${token}`, api_key: 'k', list: [{ userPassword: 'x', [token]: 1 }] }
    expect(properties(value)).toEqual({
      note: 'uses [removed:github-token]',
      list: [{ '[removed:github-token]': 1 }],
    })
    expect(value.api_key).toBe('k')
  })

  it('still searches texts when keys are all kept', () => {
    const { properties, text } = createScrubber({ credentialPatterns: [] })
    expect(properties({ api_key: 'k', note: token })).toEqual({
      api_key: 'k',
      note: '[removed:github-token]',
    })
    expect(text(token).kinds).toEqual(['github-token'])
  })

  it('returns its input when both are off', () => {
    const { properties, text } = createScrubber({ credentialPatterns: [], secretsInText: false })
    const value = { api_key: token }
    expect(properties(value)).toBe(value)
    expect(text(token)).toEqual({ text: token, kinds: [] })
  })

  it('only drops keys when texts are not searched', () => {
    const { properties } = createScrubber({ secretsInText: false })
    expect(properties({ api_key: 'k', note: token })).toEqual({ note: token })
  })

  it('fails when it is made, not when it scrubs', () => {
    expect(() => createScrubber({ credentialPatterns: ['('] })).toThrow(
      expect.objectContaining({ code: 'MEMORY_CREDENTIAL_PATTERN' }),
    )
  })
})

describe.each([
  { file: 'locomo/conversations.jsonl', share: 0 },
  { file: 'tau-trajectories/trajectories.jsonl', share: 0 },
  { file: 'prompt-injection/texts.jsonl', share: 0.02 },
])('the lines of $file', ({ file, share }) => {
  const url = new URL(`../../../../shared/data/${file}`, import.meta.url)
  const present = existsSync(url)

  it.skipIf(!present)('are left as they are, but for what reads like a secret', () => {
    const texts = textsOf(readFileSync(url, 'utf8').slice(0, 3_000_000))
    expect(texts.length).toBeGreaterThan(300)
    const changed = texts.filter((text) => scrubSecrets(text).kinds.length > 0)
    expect(changed.length / texts.length).toBeLessThanOrEqual(share)
  })
})

/** Every text value in lines of JSON. */
function textsOf(lines: string): string[] {
  const whole = lines.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'))
  const found: string[] = []
  const collect = (value: unknown): void => {
    if (typeof value === 'string') found.push(value)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect)
  }
  for (const line of whole) collect(JSON.parse(line))
  return found
}
