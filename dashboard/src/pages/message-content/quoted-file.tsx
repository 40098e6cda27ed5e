// A quoted file: a photo, video or sticker as a small picture, and other files by their icon, name and length.
import { useQuery } from "@tanstack/react-query";
import { AudioLines, FileText, Film, Image, type LucideIcon, Mic } from "lucide-react";
import { useState } from "react";
import { reading } from "../../api/client.ts";
import { duration } from "../../domain/audio.ts";
import { messageIn } from "../chats/reads.ts";
import { fileAddress } from "./file-address.ts";
import { Words, type WordsProps } from "./quoted-words.tsx";

const ICONS: Readonly<Record<string, LucideIcon>> = { image: Image, sticker: Image, video: Film, voice: Mic, audio: AudioLines };

type QuotedFileProps = WordsProps & { id: string; chatId: string; messageId: string };

export function QuotedFile({ words, type, author, id, chatId, messageId }: QuotedFileProps) {
  const known = messageIn(id, chatId, messageId);
  // The message is not among those that were read, for example because it is old.
  const { data } = useQuery({
    ...reading("GET /connections/{id}/messages/{message_id}", { id, message_id: messageId }),
    enabled: known === undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retryOnMount: false,
  });
  const [isBroken, setBroken] = useState(false);
  const message = known ?? data?.data;
  const media = message?.deleted_at === null ? message.media : null;
  const Icon = ICONS[type] ?? FileText;
  const isPicture = type === "image" || type === "sticker" || type === "video";
  // Files that are not stored would have to be fetched from the network.
  const address = isPicture && media?.stored === true && !isBroken ? fileAddress(id, { chat_id: chatId, message_id: messageId }) : null;
  const length = media?.duration_seconds == null || isPicture ? null : duration(media.duration_seconds);
  const name = type === "document" ? (words ?? media?.filename ?? null) : words;
  const cut = "size-full object-cover";
  return (
    <span className="flex items-center gap-2">
      {!isPicture && <Icon size={16} aria-hidden className="shrink-0 text-soft" />}
      <span className="min-w-0 grow">
        <Words words={name} type={type} author={author} />
      </span>
      {length !== null && <span className="shrink-0 text-soft">{length}</span>}
      {isPicture && (
        <span className="grid size-12 shrink-0 place-items-center overflow-hidden rounded-md bg-surface text-soft">
          {address === null ? (
            <Icon size={20} aria-hidden />
          ) : type === "video" ? (
            // Some phones show the first picture only if a time is asked for.
            <video
              src={`${address}#t=0.001`}
              preload="metadata"
              muted
              playsInline
              aria-hidden
              tabIndex={-1}
              onError={() => setBroken(true)}
              className={cut}
            />
          ) : (
            <img src={address} alt="" loading="lazy" onError={() => setBroken(true)} className={cut} />
          )}
        </span>
      )}
    </span>
  );
}
