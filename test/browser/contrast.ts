/**
 * Runs in the page: every visible piece of text that stands out too little from what is behind it (WCAG AA: 4.5 to 1).
 * Disabled controls are exempt.
 */
export const poorContrasts = (): { readonly checked: number; readonly poor: readonly string[] } => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!canvas) throw new Error('no canvas');
  type Colour = readonly [number, number, number];
  /** Painted one over the other, as the browser does it. */
  const paint = (colours: readonly string[]): Colour => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue];
  };
  const luminance = (colour: Colour): number => {
    const [red = 0, green = 0, blue = 0] = colour.map((value) =>
      value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (node: Element): readonly string[] => {
    const colour = getComputedStyle(node).backgroundColor;
    return node.parentElement ? [...behind(node.parentElement), colour] : ['white', colour];
  };
  const poor: string[] = [];
  let checked = 0;
  for (const node of document.body.querySelectorAll('*')) {
    const text = [...node.childNodes].filter((child) => child instanceof Text && child.data.trim());
    if (
      text.length === 0 ||
      !node.checkVisibility({ opacityProperty: true }) ||
      node.matches(':disabled')
    )
      continue;
    checked += 1;
    const ground = behind(node);
    const [a, b] = [paint(ground), paint([...ground, getComputedStyle(node).color])].map(luminance);
    const ratio = (Math.max(a ?? 0, b ?? 0) + 0.05) / (Math.min(a ?? 0, b ?? 0) + 0.05);
    if (ratio < 4.5)
      poor.push(`${ratio.toFixed(2)} ${node.className || node.tagName}: ${node.textContent}`);
  }
  return { checked, poor };
};
