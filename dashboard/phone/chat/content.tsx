import { CalendarDays, Download, EyeOff, MapPin, UserRound } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { ShownMessage } from "test-network/phone/views.ts";
import { locale, useLanguage } from "../../src/texts/language.ts";
import { change, fileAddress } from "../network/control.ts";
import { sizeText } from "../network/files.ts";
import { useTimes } from "../network/names.ts";
import { useAction } from "../network/action.ts";
import { Button } from "../../src/ui/button.tsx";
import { Sheet } from "../widgets/sheet.tsx";
import { usePhoneTexts } from "../texts/texts.ts";
import { Sound } from "./sound.tsx";

export function useKinds(): (type: string) => string {
  const { content: w } = usePhoneTexts();
  return (type) => {
    switch (type) {
      case "image":
      case "video":
      case "audio":
      case "voice":
      case "document":
      case "sticker":
      case "location":
      case "contact":
      case "poll":
      case "event":
      case "group_invite":
      case "list":
      case "list_response":
      case "button_response":
        return w[type];
      default:
        return w.other;
    }
  };
}

export function useSummary(): (message: Pick<ShownMessage, "type" | "text">) => string {
  const kindOf = useKinds();
  return ({ type, text }) => (type === "text" ? (text ?? "") : text === null ? kindOf(type) : `${kindOf(type)}: ${text}`);
}

export function Content(shown: Shown) {
  const { message } = shown;
  switch (message.type) {
    case "image":
    case "sticker":
      return <Picture {...shown} />;
    case "video":
      return <Video {...shown} />;
    case "audio":
    case "voice":
      return <Audio {...shown} />;
    case "document":
      return <DocumentLink {...shown} />;
    case "location":
      return <Location {...shown} />;
    case "contact":
      return <Contacts {...shown} />;
    case "poll":
      return <Poll {...shown} />;
    case "event":
      return <Event {...shown} />;
    case "group_invite":
      return <Invite {...shown} />;
    case "text":
      return <Text>{message.text}</Text>;
    default:
      return <Other {...shown} />;
  }
}

function Text({ children }: { children: ReactNode }) {
  return <p className="wrap-anywhere whitespace-pre-wrap">{children}</p>;
}

function addressIn({ phone, message }: Shown): string | null {
  if (message.media?.sha256 == null) return null;
  return fileAddress(phone, `/inbox/${encodeURIComponent(message.message_id)}/media`);
}

function NoFile() {
  return <p className="text-sm text-soft italic">{usePhoneTexts().content.noFile}</p>;
}

function ViewOnce({ message }: { message: ShownMessage }) {
  const w = usePhoneTexts();
  if (!message.view_once) return null;
  return (
    <p className="flex items-center gap-1 text-sm text-soft">
      <EyeOff aria-hidden="true" className="size-3.5" />
      {w.thread.viewOnce}
    </p>
  );
}

function Picture(shown: Shown) {
  const { message } = shown;
  const w = usePhoneTexts();
  const kindOf = useKinds();
  const [isLarge, setLarge] = useState(false);
  const address = addressIn(shown);
  const label = message.text ?? kindOf(message.type);
  return (
    <>
      <ViewOnce message={message} />
      {address === null ? (
        <NoFile />
      ) : (
        <button type="button" aria-label={`${w.content.enlarge}: ${label}`} onClick={() => setLarge(true)} className="block">
          <img
            src={address}
            alt=""
            className={message.type === "sticker" ? "size-32 object-contain" : "max-h-64 min-h-16 min-w-16 rounded-md object-contain"}
          />
        </button>
      )}
      {message.text !== null && <Text>{message.text}</Text>}
      {isLarge && address !== null && (
        <Sheet title={label} onClose={() => setLarge(false)}>
          <img src={address} alt={label} className="mx-auto max-h-[65dvh] object-contain" />
        </Sheet>
      )}
    </>
  );
}

function Video(shown: Shown) {
  const { phone, message } = shown;
  const kindOf = useKinds();
  const address = addressIn(shown);
  return (
    <>
      <ViewOnce message={message} />
      {address === null ? (
        <NoFile />
      ) : (
        <video
          src={address}
          controls
          preload="metadata"
          loop={message.form === "gif"}
          aria-label={message.text ?? kindOf("video")}
          onPlay={() => void reportPlayed(phone, message)}
          className={`max-h-64 max-w-full bg-black ${message.form === "note" ? "aspect-square rounded-full object-cover" : "rounded-md"}`}
        />
      )}
      {message.text !== null && <Text>{message.text}</Text>}
    </>
  );
}

function Audio(shown: Shown) {
  const { phone, message } = shown;
  const kindOf = useKinds();
  const address = addressIn(shown);
  if (address === null) return <NoFile />;
  return (
    <>
      <ViewOnce message={message} />
      <Sound
        address={address}
        label={kindOf(message.type)}
        seconds={message.media?.seconds ?? null}
        onPlay={() => void reportPlayed(phone, message)}
      />
    </>
  );
}

async function reportPlayed(phone: string, { chat_id, message_id, from_me, played }: ShownMessage): Promise<void> {
  if (!from_me && !played) await change(phone, "POST", "/played", { chat_id, message_id }).catch(() => undefined);
}

function DocumentLink(shown: Shown) {
  const { message } = shown;
  const w = usePhoneTexts();
  const language = locale(useLanguage());
  const address = addressIn(shown);
  const name = message.media?.filename ?? w.content.document;
  return (
    <>
      {address === null ? (
        <NoFile />
      ) : (
        <a href={address} download={name} className="flex min-h-11 items-center gap-2 rounded-md bg-tint px-3 py-2 hover:underline">
          <Download aria-hidden="true" className="size-5 shrink-0" />
          <span className="min-w-0">
            <span className="block truncate font-semibold">
              <span className="sr-only">{w.content.download} </span>
              {name}
            </span>
            <span className="block text-sm text-soft">
              {message.media?.mimetype}, {sizeText(message.media?.size ?? 0, language)}
            </span>
          </span>
        </a>
      )}
      {message.text !== null && <Text>{message.text}</Text>}
    </>
  );
}

function Location({ message: { location } }: Shown) {
  const w = usePhoneTexts();
  if (location === null) return null;
  const { latitude, longitude, name, address } = location;
  return (
    <a
      href={`https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`}
      target="_blank"
      rel="noreferrer"
      className="flex min-h-11 items-center gap-2 rounded-md bg-tint px-3 py-2 hover:underline"
    >
      <MapPin aria-hidden="true" className="size-5 shrink-0" />
      <span className="min-w-0">
        <span className="block font-semibold">{name ?? w.content.location}</span>
        {address !== null && <span className="block text-sm">{address}</span>}
        <span className="block text-sm text-soft tabular-nums">
          {latitude}, {longitude} · {w.content.openMap}
        </span>
      </span>
    </a>
  );
}

function Contacts({ message: { contacts } }: Shown) {
  return (
    <ul className="space-y-1">
      {(contacts ?? []).map(({ full_name, phone, vcard }) => (
        <li key={vcard} className="flex items-center gap-2 rounded-md bg-tint px-3 py-2">
          <UserRound aria-hidden="true" className="size-5 shrink-0" />
          <span className="min-w-0">
            <span className="block truncate font-semibold">{full_name}</span>
            <span className="block text-sm text-soft">{phone}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function Event({ message: { event } }: Shown) {
  const w = usePhoneTexts();
  const { full } = useTimes();
  if (event === null) return null;
  return (
    <div>
      <p className="flex items-center gap-2 font-semibold">
        <CalendarDays aria-hidden="true" className="size-5" />
        {event.name}
      </p>
      <p className="text-sm">
        {full(event.starts_at)}
        {event.ends_at !== null && ` – ${full(event.ends_at)}`}
      </p>
      {event.location !== null && <p className="text-sm">{event.location}</p>}
      {event.description !== null && <Text>{event.description}</Text>}
      {event.cancelled && <p className="font-semibold text-bad">{w.content.cancelled}</p>}
    </div>
  );
}

function Invite({ phone, message: { group_invite: invite, text, from_me } }: Shown) {
  const w = usePhoneTexts();
  const act = useAction();
  if (invite === null) return null;
  return (
    <div>
      <p className="font-semibold">{invite.subject}</p>
      {text !== null && text !== invite.subject && <Text>{text}</Text>}
      {!from_me && (
        <Button
          className="mt-2 w-full"
          onClick={() => void act(() => change(phone, "POST", "/groups/join", { invite_code: invite.invite_code }), w.content.joined)}
        >
          {w.content.join}
        </Button>
      )}
    </div>
  );
}

function Other({ message: { type, text, selected } }: Shown) {
  const kindOf = useKinds();
  return (
    <>
      <p className="text-sm text-soft">{kindOf(type)}</p>
      <Text>{selected?.title ?? text}</Text>
    </>
  );
}

export type Shown = { phone: string; message: ShownMessage; nameOf: (digits: string) => string };

export function Poll({ phone, message, nameOf }: Shown) {
  const w = usePhoneTexts();
  const act = useAction();
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
