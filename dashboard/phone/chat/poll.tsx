import type { ShownMessage } from "test-network/phone/views.ts";
import { change } from "../network/control.ts";
import { useAct } from "../network/act.ts";
import { usePhoneTexts } from "../texts/texts.ts";

export type Shown = { phone: string; message: ShownMessage; nameOf: (digits: string) => string };

export function Poll({ phone, message, nameOf }: Shown) {
  const w = usePhoneTexts();
  const act = useAct();
  const { poll, poll_votes: votes, chat_id, message_id } = message;
  if (poll === null) return null;
  const isSingle = poll.selectable_count === 1;
  const mine = votes.find(({ from }) => from === phone)?.options ?? [];
  const vote = (option: string): void => {
    const without = mine.filter((one) => one !== option);
    const options = mine.includes(option) ? without : isSingle ? [option] : [...mine, option];
    void act(() => change(phone, "POST", "/vote", { chat_id, message_id, options }));
  };
  return (
    <fieldset>
      <legend className="font-semibold">{poll.question}</legend>
      <p className="text-sm text-soft">{isSingle ? w.content.chooseOne : w.content.chooseMany}</p>
      <ul className="mt-1 space-y-1">
        {poll.options.map((option) => {
          const voters = votes.filter(({ options }) => options.includes(option));
          return (
            <li key={option}>
              <label className="flex min-h-11 items-center gap-2 pointer-fine:min-h-8">
                <input
                  type="checkbox"
                  checked={mine.includes(option)}
                  onChange={() => vote(option)}
                  aria-label={w.content.vote(option)}
                  className="size-5 shrink-0 accent-accent"
                />
                <span className="min-w-0 flex-1">{option}</span>
                <span className="text-sm text-soft tabular-nums" title={voters.map(({ from }) => nameOf(from)).join(", ")}>
                  {w.content.votes(voters.length)}
                </span>
              </label>
            </li>
          );
        })}
      </ul>
    </fieldset>
  );
}
