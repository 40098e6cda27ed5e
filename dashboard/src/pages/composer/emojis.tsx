// Emojis for the text, on devices whose keyboard has none.
import { Smile } from "lucide-react";
import type { KeyboardEvent, RefObject } from "react";
import { Popover } from "../../ui/floating/popover.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

const ACROSS = 8;
const EMOJIS = [
  "😀 😃 😄 😁 😅 😂 🤣 😊 🙂 😉 😍 🥰 😘 😋 😜 🤗 🤩 😎 🥳 🤔 🤫 😐 😏 🙄 😬 😴 🤒 🥵 🥶 😕 😟 😮 😳 🥺 😢 😭 😱 😤 😡 🤬",
  "👍 👎 👌 🤞 ✌️ 🤝 👏 🙌 🙏 💪 👋 👉 👇 ☝️ 👀 🤷",
  "❤️ 🧡 💛 💚 💙 💜 🖤 💔 💕 💯 ✨ ⭐ 🔥 🎉 🎁 🎂",
  "✅ ❌ ❗ ❓ ⚠️ 📌 📎 📷 📱 💻 📞 📦 🚚 🛵 🛒 🏪 💰 💳 🧾 📅 ⏰ 📍 🏠 🚗",
  "🍕 🍔 🍟 🌭 🍰 🍫 🍦 ☕ 🍺 🥤 🍎 🥗 👗 👟 👜 💄",
  "☀️ 🌧️ 🌙 🌹 🌻 🌱 🐶 🐱",
]
  .join(" ")
  .split(" ");

export function Emojis({ field }: { field: RefObject<HTMLTextAreaElement | null> }) {
  const texts = useTexts(CHATS);
  const insert = (emoji: string, isPointed: boolean) => {
    const text = field.current;
    if (text === null) return;
    text.setRangeText(emoji, text.selectionStart, text.selectionEnd, "end");
    text.dispatchEvent(new Event("input", { bubbles: true }));
    // Typing goes on there. By keyboard, the next emoji may be chosen.
    if (isPointed) text.focus();
  };
  return (
    <Popover bare name={texts.emojis} label={<Smile size={18} aria-hidden />} className="w-11 shrink-0 !px-0 pointer-fine:w-9">
      {() => (
        <div
          role="toolbar"
          tabIndex={-1}
          aria-label={texts.emojis}
          onKeyDown={move}
          className="grid max-h-72 overflow-y-auto"
          style={{ gridTemplateColumns: `repeat(${ACROSS}, auto)` }}
        >
          {EMOJIS.map((emoji, place) => (
            <button
              key={emoji}
              type="button"
              tabIndex={place === 0 ? 0 : -1}
              onClick={({ detail }) => insert(emoji, detail > 0)}
              className="grid size-9 place-items-center rounded-md text-lg hover:bg-tint focus-visible:-outline-offset-2"
            >
              {emoji}
            </button>
          ))}
        </div>
      )}
    </Popover>
  );
}

/** The arrow keys move between the emojis. */
function move(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -ACROSS, ArrowDown: ACROSS }[event.key];
  if (step === undefined) return;
  const all = [...event.currentTarget.querySelectorAll("button")];
  event.preventDefault();
  all[all.findIndex((each) => each === document.activeElement) + step]?.focus();
}
