/** What the page of the first start says. `en` is the one that others are measured against. */
const en = {
  title: 'Markbook: the first start',
  heading: 'Welcome to Markbook',
  intro: 'Connect this computer with your school once. After that you enter marks here with or without a network.',
  askAt:
    'At school, an administrator opens Sync, Computers and invitations, Invite a computer, chooses A teacher’s laptop and your name, and reads both of these to you:',
  address: 'Address of the school’s server',
  addressHint: 'such as https://192.168.1.10:3000',
  code: 'Invitation code',
  codeHint: 'Six groups of letters and digits, good for ten minutes. Small letters and spaces do not matter.',
  join: 'Connect',
  joining: 'Looking for the school …',
  trustHeading: 'Is this your school?',
  trust: 'Compare this fingerprint with the one that your administrator sees (markbook cert show). Connect only if they are the same.',
  trustYes: 'It is the same: connect',
  trustNo: 'Stop',
  copying: 'Connected with {parent}. What you may see is being copied; this takes a moment.',
  stillCopying: 'Still copying. If the line was cut, it goes on by itself when the line is back.',
  aloneHeading: 'No server at school?',
  alone: 'You can begin alone, on this computer only, and connect later, before you open a school here.',
  email: 'Your email address',
  aloneYes: 'Work without a school for now',
  unreachable: 'Markbook on this computer does not answer. Please wait a moment and try again.',
} as const
export type Words = Record<keyof typeof en, string>

const fr: Words = {
  title: 'Markbook : premier démarrage',
  heading: 'Bienvenue dans Markbook',
  intro: 'Reliez cet ordinateur à votre école une seule fois. Ensuite vous saisissez les notes ici, avec ou sans réseau.',
  askAt:
    'À l’école, un administrateur ouvre Synchronisation, Ordinateurs et invitations, Inviter un ordinateur, choisit Le portable d’un enseignant et votre nom, et vous lit ces deux indications :',
  address: 'Adresse du serveur de l’école',
  addressHint: 'par exemple https://192.168.1.10:3000',
  code: 'Code d’invitation',
  codeHint: 'Six groupes de lettres et de chiffres, valables dix minutes. Minuscules et espaces sont sans importance.',
  join: 'Relier',
  joining: 'Recherche de l’école …',
  trustHeading: 'Est-ce bien votre école ?',
  trust: 'Comparez cette empreinte avec celle que voit votre administrateur (markbook cert show). Ne reliez que si elles sont identiques.',
  trustYes: 'Elle est identique : relier',
  trustNo: 'Arrêter',
  copying: 'Relié à {parent}. Ce que vous pouvez voir est en cours de copie ; cela prend un instant.',
  stillCopying: 'La copie continue. Si la ligne a été coupée, elle reprendra d’elle-même au retour de la ligne.',
  aloneHeading: 'Pas de serveur à l’école ?',
  alone: 'Vous pouvez commencer seul, sur cet ordinateur uniquement, et le relier plus tard, avant d’y ouvrir une école.',
  email: 'Votre adresse électronique',
  aloneYes: 'Travailler sans école pour l’instant',
  unreachable: 'Markbook ne répond pas sur cet ordinateur. Attendez un instant et réessayez.',
}

export const pairWords: Readonly<Record<'en' | 'fr', Words>> = { en, fr }
