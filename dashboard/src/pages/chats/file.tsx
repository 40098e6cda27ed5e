// A message's file. Fetching it requires the session cookie, so its URL is useless to others.
import { Download, FileText, RotateCw } from "lucide-react";
import { Suspense, useState } from "react";
import { addressFor } from "../../api/client.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { sizeText } from "../../domain/formats.ts";
import type { Message } from "./reads.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";

const Player = lazyPart(() => import("./player.tsx").then(({ Player: component }) => component));

export function FileOf({ message, id }: { message: Message; id: string }) {
  const texts = useTexts(CHATS).file;
  const { media, type, chat_id, message_id } = message;
  const [wanted, setWanted] = useState(media?.stored === true);
  const [gone, setGone] = useState(false);
  if (media === null) return null;
  const address = addressFor("GET /connections/{id}/chats/{chat_id}/messages/{message_id}/media", { id, chat_id, message_id });
  if (gone) {
    return (
      <div className="grid justify-items-start gap-1">
        <p className="text-soft">{texts.gone}</p>
        <Button kind="quiet" icon={RotateCw} onClick={() => setGone(false)}>
          {texts.again}
        </Button>
      </div>
    );
  }
  const isShown = type === "image" || type === "sticker" || type === "video" || type === "audio" || type === "voice";
  const size = media.size === null ? "" : ` (${sizeText(media.size)})`;
  if (!isShown) {
    const name = media.filename ?? texts.unnamed;
    return (
      <a href={address} download={name} className={buttonClass("plain", "!justify-start")}>
        <FileText size={16} aria-hidden className="shrink-0" />
        <span className="min-w-0 truncate">
          <span className="sr-only">{texts.download(name)}</span>
          <span aria-hidden>{name}</span>
          {size}
        </span>
      </a>
    );
  }
  if (!wanted) {
    return (
      <Button icon={Download} onClick={() => setWanted(true)}>
        {texts.load}
        {size}
      </Button>
    );
  }
  const onError = () => setGone(true);
  if (type === "image" || type === "sticker")
    return <img src={address} alt={texts.image} loading="lazy" onError={onError} className="max-h-80 min-h-12 max-w-full rounded-md" />;
  if (type === "video") {
    return <video src={address} controls preload="metadata" onError={onError} className="max-h-80 max-w-full rounded-md" />;
  }
  return (
    <Suspense fallback={<span className="h-11 w-72 max-w-full" />}>
      <Player address={address} seconds={media.duration_seconds} size={media.size} onError={onError} />
    </Suspense>
  );
}
