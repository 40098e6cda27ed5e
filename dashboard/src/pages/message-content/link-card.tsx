import { webHost } from "../../domain/web-host.ts";
import type { Message } from "../chats/reads.ts";

type LinkCardProps = { preview: NonNullable<Message["preview"]>; height: string };

/** Shows the link's host, because the sender can choose any title and picture. */
export function LinkCard({ preview: { url, title, description, thumbnail }, height }: LinkCardProps) {
  const host = webHost(url);
  if (host === null) return null;
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      className={`group/card flex w-72 max-w-full min-w-full overflow-hidden rounded-md border border-edge bg-tint ${height}`}
    >
      {thumbnail !== null && <img src={`data:image/jpeg;base64,${thumbnail}`} alt="" className="h-full w-24 shrink-0 object-cover" />}
      <span className="grid min-w-0 grow content-center px-3">
        <span dir="auto" className="line-clamp-2 leading-6 font-semibold break-words group-hover/card:underline">
          {title}
        </span>
        {description !== null && (
          <span dir="auto" className="truncate text-sm leading-5">
            {description}
          </span>
        )}
        <span className="truncate text-sm leading-5 text-soft">{host}</span>
      </span>
    </a>
  );
}
