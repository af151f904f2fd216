// Sees through lookalikes: Cyrillic letters in a tag's name, full-width brackets. Only to find markers, never to show.

export interface FoldedText {
  /** The text in plain letters where it only looked like them; its length may differ. */
  readonly text: string;
  /** Where in the original text a character of the folded one stands. */
  origin(index: number): number;
}

const LOOKALIKES = new Map(
  (
    [
      ['аеорсухіјѕһԁѵӏԛԝмтпкАВЕКМНОРСТУХІЅЈ', 'aeopcyxijshdvlqwmtnkABEKMHOPCTYXISJ'],
      ['αοιυνρτκχϲεηΑΒΕΗΙΚΜΝΟΡΤΥΧΖ', 'aoiuvptkxcenABEHIKMNOPTYXZ'],
      ['օոսհցզıɑɡᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ', 'onuhgqiagabcdeghijklmnoprstuvwyz'],
      ['˂ᐸ⟨〈˃ᐳ⟩〉ǀ∣│┃❘', '<<<<>>>>|||||'],
    ] as const
  ).flatMap(([from, to]) => Array.from(from, (character, index) => [character, to[index] ?? character] as const)),
);
const LONGEST_FOLD = 4;

/** Folds compatibility forms, accents and known lookalikes. Linear in the length of the text. */
export function foldLookalikes(text: string): FoldedText {
  if (!/[^\0-\x7F]/.test(text)) return { text, origin: (index) => index };
  const known = new Map<string, string>();
  const origins: number[] = [];
  let folded = '';
  let at = 0;
  for (const character of text) {
    let plain = character;
    if (mayFold(character)) {
      plain = known.get(character) ?? fold(character);
      known.set(character, plain);
    }
    for (let unit = 0; unit < plain.length; unit += 1) origins.push(at);
    folded += plain;
    at += character.length;
  }
  return { text: folded, origin: (index) => origins[index] ?? at };
}

function fold(character: string): string {
  const plain = character.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  return plain.length > LONGEST_FOLD ? character : (LOOKALIKES.get(plain) ?? plain);
}

/** Ideographs and syllables, the bulk of texts in the scripts that use them, look like nothing else. */
function mayFold(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return (code > 0x7f && code < 0x3100) || (code > 0xa63f && code < 0xabff) || (code > 0xfaff && code < 0x20000);
}
