// The title of a page: the document's title too, and where the focus goes after navigation, so that a screen reader says where one is.
import { type ReactNode, useEffect, useRef } from "react";

/** Not on the first page of a visit: nobody has moved yet. */
let arrived = false;

/** `name`: for the document's title, when the shown title is more than text. */
export function PageTitle({ children, name }: { children: ReactNode; name?: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const title = name ?? (typeof children === "string" ? children : "");
  useEffect(() => {
    // A dialog over the page keeps the focus.
    if (arrived && document.querySelector("dialog:modal") === null) heading.current?.focus({ preventScroll: true });
    arrived = true;
  }, []);
  useEffect(() => {
    document.title = title === "" ? "Messaging Gateway" : `${title} · Messaging Gateway`;
  }, [title]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
