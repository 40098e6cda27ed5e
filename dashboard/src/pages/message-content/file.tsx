import { useNavigate } from "@tanstack/react-router";
import { Download, FileText, RotateCw } from "lucide-react";
import { Suspense, useState } from "react";
import { Button, buttonClass } from "../../ui/button.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { sizeText } from "../../domain/formats.ts";
import type { Message } from "../chats/reads.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";
import { fileAddress } from "./file-address.ts";

const Player = lazyPart(() => import("./player.tsx").then(({ Player: component }) => component));

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The message whose photo fills the screen. */
    photo?: string;
  }
}

export function FileOf({ message, id }: { message: Message; id: string }) {
  const texts = useTexts(CHATS).file;
  const { media, type } = message;
  const [wanted, setWanted] = useState(media?.stored === true);
  const [gone, setGone] = useState(false);
  if (media === null) return null;
  const address = fileAddress(id, message);
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
  if (type === "image" || type === "sticker") return <Photo address={address} media={media} message={message} onError={onError} />;
  if (type === "video") {
    return <video src={address} controls preload="metadata" onError={onError} className="max-h-80 max-w-full rounded-md" />;
  }
  return (
    <Suspense fallback={<span className="h-11 w-72 max-w-full" />}>
      <Player address={address} seconds={media.duration_seconds} size={media.size} onError={onError} />
    </Suspense>
  );
}

/** The height of `max-h-80`. */
const HEIGHT_PX = 320;

type PhotoProps = { address: string; media: NonNullable<Message["media"]>; message: Message; onError: () => void };

function Photo({ address, media, message: { type, message_id }, onError }: PhotoProps) {
  const texts = useTexts(CHATS);
  const navigate = useNavigate();
  const [isLoaded, setLoaded] = useState(false);
  const { width, height } = media;
  // The messages below stay in place while the photo loads, or nearly in place if its size is unknown.
  const scale = height === null ? 1 : Math.min(1, HEIGHT_PX / height);
  const sizes = width === null || height === null ? null : { width: width * scale, height: height * scale };
  const space = isLoaded ? "" : sizes === null ? "min-h-48 w-64 bg-tint" : "bg-tint";
  const image = (
    <img
      src={address}
      alt={texts.file.image}
      loading="lazy"
      onLoad={() => setLoaded(true)}
      onError={onError}
      {...sizes}
      className={`max-h-80 max-w-full rounded-md ${space}`}
    />
  );
  if (type === "sticker") return image;
  return (
    <button
      type="button"
      title={texts.photo.open}
      onClick={() => void navigate({ to: ".", search: true, state: { photo: message_id }, resetScroll: false })}
      className="min-w-0 justify-self-start rounded-md focus-visible:outline-offset-2"
    >
      {image}
    </button>
  );
}
