// Reads a secret from standard input, which is piped or typed in a terminal without being shown.

const ENTER = /[\r\n]/;
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const CTRL_U = "\u0015";
const BACKSPACE = new Set(["\u007f", "\b"]);
const LONGEST = 4_096;

type Input = AsyncIterable<unknown> & { isTTY?: boolean; setRawMode?: (raw: boolean) => unknown };

/** Returns "" if the person cancels. `prompt` writes to the terminal. */
export async function readSecret(question: string, input: Input, prompt: (text: string) => void): Promise<string> {
  if (input.isTTY === true) prompt(question);
  input.setRawMode?.(true);
  let text = "";
  try {
    for await (const chunk of input) {
      for (const character of String(chunk)) {
        if (ENTER.test(character) || character === CTRL_D) return text.trim();
        if (character === CTRL_C) return "";
        if (character === CTRL_U) text = "";
        else text = BACKSPACE.has(character) ? text.slice(0, -1) : text + character;
      }
      if (text.length > LONGEST) return "";
    }
    return text.trim();
  } finally {
    input.setRawMode?.(false);
    if (input.isTTY === true) prompt("\n");
  }
}
