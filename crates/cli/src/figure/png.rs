//! SVG to PNG, with a font of our own: a machine need not have any.

use anyhow::{Context, Result};
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree};

const FONT: &[u8] = include_bytes!("../../assets/DejaVuSans-subset.ttf");

/// Twice the size of the SVG, on white.
pub fn render(svg: &str) -> Result<Vec<u8>> {
    const SCALE: f32 = 2.0;
    let mut options = Options { font_family: "DejaVu Sans".into(), ..Options::default() };
    let fonts = options.fontdb_mut();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    let tree = Tree::from_str(svg, &options).context("reading our own SVG")?;
    let size = tree.size();
    let mut pixels = Pixmap::new((size.width() * SCALE) as u32, (size.height() * SCALE) as u32)
        .context("a figure of no size")?;
    pixels.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().context("writing PNG")
}
