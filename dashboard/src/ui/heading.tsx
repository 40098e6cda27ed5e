// The page's heading, also set as the document title. It receives the focus after navigation, for screen readers.
import { type ReactNode, useEffect, useRef } from "react";
import { PRODUCT } from "@gateway/domain/product.ts";

/** False on the first page of a visit, where the browser's own focus is kept. */
let arrived = false;

/** `name` is the document title, if the heading is not plain text. */
export function PageTitle({ children, name }: { children: ReactNode; name?: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const title = name ?? (typeof children === "string" ? children : "");
  useEffect(() => {
    if (arrived && document.querySelector("dialog:modal") === null) heading.current?.focus({ preventScroll: true });
    arrived = true;
  }, []);
  useEffect(() => {
    document.title = title === "" ? PRODUCT.name : `${title} · ${PRODUCT.name}`;
  }, [title]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
