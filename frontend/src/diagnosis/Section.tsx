import type { ReactNode } from "react";

interface SectionProps {
  number: number;
  id: string;
  title: string;
  children: ReactNode;
}

/** One numbered section of a diagnosis. */
export function Section({ number, id, title, children }: SectionProps) {
  return (
    <section id={id} className="diagnosis-section" aria-labelledby={`${id}-title`} data-section={number}>
      <h3 id={`${id}-title`}>
        <span className="section-number">{number}</span> {title}
      </h3>
      {children}
    </section>
  );
}
