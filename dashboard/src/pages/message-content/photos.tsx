// Shows one of a chat's photos in full screen, with buttons for the photos before and after it.
import { ChevronLeft, ChevronRight, Download, Reply, X } from "lucide-react";
import { type KeyboardEvent, type TouchEvent, useEffectEvent, useLayoutEffect, useRef } from "react";
import { authorOf } from "../../domain/messages/author.ts";
import { dateFormat } from "../../domain/formats.ts";
import { fileName } from "../../domain/messages/file-name.ts";
import { CHATS, UI } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { locale, useLanguage } from "../../texts/language.ts";
import type { Message } from "../chats/reads.ts";
import { fileAddress } from "./file-address.ts";

type PhotosProps = {
  id: string;
  messages: readonly Message[];
  shown: string;
  onShow: (messageId: string) => void;
  onClose: () => void;
  /** Called after the photo is closed. */
  onReply: ((message: Message) => void) | null;
};

const SWIPE_PX = 40;

const BUTTON =
  "inline-flex min-h-11 min-w-11 shrink-0 items-center justify-center gap-2 rounded-md px-2 font-semibold text-white hover:bg-white/20 focus-visible:outline-white";

export function Photos({ id, messages, shown, ...rest }: PhotosProps) {
  const photos = messages.filter(
    ({ type, media, message_id, deleted_at }) =>
      type === "image" && media !== null && deleted_at === null && (media.stored || message_id === shown),
  );
  const at = photos.findIndex(({ message_id }) => message_id === shown);
  const photo = photos[at];
  if (photo === undefined) return null;
  return <Opened id={id} photo={photo} at={at} ids={photos.map(({ message_id }) => message_id)} {...rest} />;
}

type OpenedProps = Pick<PhotosProps, "id" | "onShow" | "onClose" | "onReply"> & { photo: Message; at: number; ids: readonly string[] };

function Opened({ id, photo, at, ids, onShow, onClose, onReply }: OpenedProps) {
  const texts = useTexts(CHATS);
  const { close: closeText } = useTexts(UI);
  const language = useLanguage();
  const dialog = useRef<HTMLDialogElement>(null);
  const isLeaving = useRef(false);
  const close = () => {
    if (!isLeaving.current) onClose();
    isLeaving.current = true;
  };
  const leave = useEffectEvent(close);
  const answers = useRef(false);
  const closed = useEffectEvent(() => {
    if (answers.current) onReply?.(photo);
  });
  useLayoutEffect(() => {
    const shown = dialog.current;
    if (shown === null) return undefined;
    // Some phones send this event for Back. Escape is handled below, because a second press would close the dialog without this event.
    const cancel = (event: Event) => {
      event.preventDefault();
      leave();
    };
    shown.addEventListener("cancel", cancel);
    shown.showModal();
    // Otherwise, the download link would have the focus.
    shown.focus();
    return () => {
      shown.removeEventListener("cancel", cancel);
      shown.close();
      closed();
    };
  }, []);
  const show = (place: number) => {
    const wanted = ids[place];
    if (wanted !== undefined) onShow(wanted);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowLeft") show(at - 1);
    else if (event.key === "ArrowRight") show(at + 1);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const touched = useRef<{ x: number; y: number } | null>(null);
  const onTouchStart = ({ touches }: TouchEvent) => {
    const finger = touches[0];
    // Two fingers zoom, and one moves a photo that is zoomed in.
    const turns = finger !== undefined && touches.length === 1 && (visualViewport?.scale ?? 1) === 1;
    touched.current = turns ? { x: finger.clientX, y: finger.clientY } : null;
  };
  const onTouchEnd = ({ changedTouches }: TouchEvent) => {
    const finger = changedTouches[0];
    if (finger === undefined || touched.current === null) return;
    const [across, down] = [finger.clientX - touched.current.x, finger.clientY - touched.current.y];
    if (Math.abs(across) >= SWIPE_PX && Math.abs(across) > 2 * Math.abs(down)) show(at - Math.sign(across));
  };
  const { media, text, from_me } = photo;
  const address = fileAddress(id, photo);
  const who = from_me ? texts.you : authorOf(photo, texts.hidden);
  const when = dateFormat(locale(language), { dateStyle: "short", timeStyle: "short" }).format(new Date(photo.at));
  return (
    // The arrow keys and a swipe show the photos before and after this one.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      tabIndex={-1}
      aria-label={texts.photo.title}
      onKeyDown={onKeyDown}
      onTouchStart={onTouchStart}
      onTouchEnd={onTouchEnd}
      className="photos m-0 h-dvh max-h-none w-screen max-w-none overflow-hidden bg-black p-0 text-white outline-none"
    >
      <div className="flex h-full flex-col">
        <div className="flex items-center gap-1 py-1 pr-1 pl-4">
          <p className="private min-w-0 grow truncate">
            <span className="font-semibold">{who}</span> · {when}
          </p>
          {onReply !== null && (
            <button
              type="button"
              aria-label={texts.reply}
              onClick={() => {
                answers.current = true;
                close();
              }}
              className={BUTTON}
            >
              <Reply size={18} aria-hidden />
            </button>
          )}
          {media !== null && (
            <a href={address} download={fileName({ ...photo, media }, texts.types)} className={BUTTON}>
              <Download size={18} aria-hidden />
              <span className="max-sm:sr-only">{texts.photo.save}</span>
            </a>
          )}
          <button type="button" aria-label={closeText} onClick={close} className={BUTTON}>
            <X size={20} aria-hidden />
          </button>
        </div>
        <img key={address} src={address} alt={texts.file.image} className="min-h-0 w-full grow object-contain" />
        {text !== null && (
          <p dir="auto" className="max-h-[20dvh] overflow-y-auto px-4 pt-2 text-center break-words whitespace-pre-wrap">
            {text}
          </p>
        )}
        <div className="flex min-h-2 items-center justify-center gap-4 p-1">
          {ids.length > 1 && (
            <>
              <Turn label={texts.photo.previous} icon={ChevronLeft} isLast={at === 0} onClick={() => show(at - 1)} />
              <span role="status" className="tabular-nums">
                {texts.photo.of(at + 1, ids.length)}
              </span>
              <Turn label={texts.photo.next} icon={ChevronRight} isLast={at === ids.length - 1} onClick={() => show(at + 1)} />
            </>
          )}
        </div>
      </div>
    </dialog>
  );
}

type TurnProps = { label: string; icon: typeof ChevronLeft; isLast: boolean; onClick: () => void };

/** The button stays focusable even at the first and last photo, so that keyboard users do not lose the focus. */
function Turn({ label, icon: Icon, isLast, onClick }: TurnProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-disabled={isLast || undefined}
      onClick={onClick}
      className={`${BUTTON} aria-disabled:opacity-40`}
    >
      <Icon size={24} aria-hidden />
    </button>
  );
}
