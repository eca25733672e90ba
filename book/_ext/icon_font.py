"""A font of the icons that the pages show, cut from the theme's own.

The theme draws its icons from two Font Awesome fonts, 270 kB, and shows
some thirty of 2,000. Each built book gets those thirty, 5 kB.
"""

import re
from pathlib import Path

from fontTools import subset
from sphinx.util.osutil import ensuredir

FONTS = {  # the theme's file: family and weight in its style sheet
    "fa-solid-900": ("Font Awesome 6 Free", 900),
    "fa-brands-400": ("Font Awesome 6 Brands", 400),
}
FACE = (
    '@font-face{{font-family:"{}";font-weight:{};font-display:block;'
    'src:url({}.woff) format("woff")}}\n'
)
NAMED = re.compile(r'([^{}]*\.fa-[a-z0-9-]+:before)\{content:"([^"]+)"\}')
ESCAPED = re.compile(r"\\([0-9a-f]{2,4})")
PRIVATE_USE = re.compile("[\ue000-\uf8ff]")


def characters(css, pages):
    """Return the icons that a page names or the style sheet draws."""

    def plain(text):
        return ESCAPED.sub(lambda code: chr(int(code[1], 16)), text)

    named = set(re.findall(r"\bfa-([a-z0-9-]+)", pages))
    found = set(PRIVATE_USE.findall(plain(NAMED.sub("", css))))
    for selectors, icon in NAMED.findall(css):
        if named & set(re.findall(r"\.fa-([a-z0-9-]+):", selectors)):
            found.update(plain(icon))
    return found


def write_fonts(app, exception):
    """Write icons/*.woff and the style sheet that names them."""
    if exception or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")

    def read(folder, pattern):
        texts = (p.read_text("utf-8") for p in folder.rglob(pattern))
        return "\n".join(texts)

    wanted = characters(
        read(static / "styles", "*.css"),
        read(Path(app.outdir), "*.html") + read(static / "scripts", "*.js"),
    )
    ensuredir(static / "icons")
    faces = ""
    for name, (family, weight) in FONTS.items():
        options = subset.Options(flavor="woff", layout_features=[])
        source = static / f"vendor/fontawesome/webfonts/{name}.ttf"
        font = subset.load_font(source, options)
        cutter = subset.Subsetter(options)
        cutter.populate(text="".join(wanted))
        cutter.subset(font)
        subset.save_font(font, static / f"icons/{name}.woff", options)
        faces += FACE.format(family, weight, name)
    (static / "icons/icons.css").write_text(faces, "utf-8")


def setup(app):
    """Run when every page is written; the faces follow the theme's own."""
    app.add_css_file("icons/icons.css", priority=700)
    app.connect("build-finished", write_fonts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
