// A place, contacts or a poll in a message.
import { Link } from "@tanstack/react-router";
import { mapHref } from "../../domain/chats.ts";
import { groupedPhone } from "../../domain/phone.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import type { Message } from "../chats/reads.ts";

export function Special({ message: { location, contacts, poll }, id }: { message: Message; id: string }) {
  const texts = useTexts(CHATS);
  return (
    <>
      {location !== null && (
        <p>
          <span className="font-semibold">{location.name ?? texts.types.location}</span>
          <br />
          {location.address !== null && location.address !== location.name && (
            <>
              {location.address}
              <br />
            </>
          )}
          {location.name === null && location.address === null && (
            <>
              {location.latitude}, {location.longitude}
              <br />
            </>
          )}
          <a href={mapHref(location)} target="_blank" rel="noopener noreferrer" className="underline underline-offset-2">
            {texts.map}
          </a>
        </p>
      )}
      {contacts?.map(({ full_name, phone }) => (
        <p key={`${full_name} ${phone ?? ""}`}>
          <span className="font-semibold">{full_name}</span>
          {phone !== null && (
            <>
              <br />
              {groupedPhone(phone)}
              <br />
              <Link to="/connections/$id/chats/$chat" params={{ id, chat: `${phone}@c.us` }} className="underline underline-offset-2">
                {texts.chat}
              </Link>
            </>
          )}
        </p>
      ))}
      {poll !== null && (
        <div>
          <p className="font-semibold">{poll.question}</p>
          <ul className="list-disc pl-5">
            {poll.options.map((option) => (
              <li key={option}>{option}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
