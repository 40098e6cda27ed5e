// A table that turns into cards if it does not fit.
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, ReactNode, Ref } from "react";

export type Column<T> = {
  id: string;
  header: ReactNode;
  cell: (row: T) => ReactNode;
  numeric?: boolean;
  wideOnly?: boolean;
  headerHidden?: boolean;
};

type RowsProps<T> = {
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string | number;
  isCurrent?: (row: T) => boolean;
};

const PAD = "@[45rem]:px-2 @[45rem]:py-1.5 @[45rem]:first:pl-4 @[45rem]:last:pr-4 @[58rem]:px-4";

export function Rows<T>({ caption, columns, rows, keyOf, isCurrent }: RowsProps<T>) {
  return (
    <div className="@container">
      <table className="block w-full @[45rem]:table">
        <caption className="sr-only">{caption}</caption>
        <thead className="sr-only @[45rem]:not-sr-only @[45rem]:table-header-group">
          <tr className="@[45rem]:border-b @[45rem]:border-line">
            {columns.map(({ id, header, numeric = false, headerHidden = false }) => (
              <th
                key={id}
                scope="col"
                className={`${PAD} text-left text-sm font-semibold whitespace-nowrap text-soft ${numeric ? "@[45rem]:text-right" : ""}`}
              >
                {headerHidden ? <span className="sr-only">{header}</span> : header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="block @[45rem]:table-row-group">
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              aria-current={isCurrent?.(row) === true || undefined}
              className="relative flex flex-wrap gap-x-6 gap-y-1 border-b border-line px-4 py-2.5 last:border-b-0 hover:bg-tint aria-current:bg-tint @[45rem]:table-row"
            >
              {columns.map((column, at) => (
                <Cell key={column.id} column={column} row={row} first={at === 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell<T>({ column, row, first }: { column: Column<T>; row: T; first: boolean }) {
  const { header, cell, numeric = false, wideOnly = false, headerHidden = false } = column;
  const shown = wideOnly ? "hidden @[45rem]:table-cell" : "flex items-baseline gap-2 @[45rem]:table-cell";
  // Wraps anywhere, because a name without spaces must not widen the page.
  const className = `${shown} ${PAD} min-w-0 text-left break-words @max-[45rem]:wrap-anywhere @max-[45rem]:**:wrap-anywhere @[45rem]:max-w-80 @[45rem]:**:[.break-words]:wrap-anywhere font-normal align-middle @[45rem]:h-11 @[45rem]:pointer-fine:h-9 ${numeric ? "@[45rem]:text-right" : ""}`;
  if (first) {
    return (
      <th scope="row" className={`${className} w-full @[45rem]:w-auto @[45rem]:min-w-36`}>
        {cell(row)}
      </th>
    );
  }
  return (
    <td className={headerHidden ? `${className} @max-[45rem]:ml-auto` : className}>
      {!headerHidden && (
        <span aria-hidden className="shrink-0 text-sm text-soft @[45rem]:hidden">
          {header}
        </span>
      )}
      <span className="min-w-0">{cell(row)}</span>
    </td>
  );
}

function RowAnchor({ className = "", ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { ref?: Ref<HTMLAnchorElement> }) {
  return (
    // `rest` contains the content.
    // oxlint-disable-next-line jsx-a11y/anchor-has-content
    <a {...rest} className={`font-semibold underline-offset-2 after:absolute after:inset-0 hover:underline ${className}`} />
  );
}

/** A link that covers its row. The row's other controls need `relative`. */
export const RowLink = createLink(RowAnchor);
