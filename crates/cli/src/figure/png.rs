//! Conversion of SVG to PNG, with an embedded font that does not depend on the fonts of the system.

use anyhow::{Context, Result};
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree};

const FONT: &[u8] = include_bytes!("../../assets/DejaVuSans-subset.ttf");

/// Renders an SVG at twice its size on a white background.
pub fn render(svg: &str) -> Result<Vec<u8>> {
    const SCALE: f32 = 2.0;
    let mut options = Options { font_family: "DejaVu Sans".into(), ..Options::default() };
    let fonts = options.fontdb_mut();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    let tree = Tree::from_str(svg, &options).context("cannot parse the generated SVG")?;
    let size = tree.size();
    let mut pixels = Pixmap::new((size.width() * SCALE) as u32, (size.height() * SCALE) as u32)
        .context("the figure is empty")?;
    pixels.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().context("cannot write the PNG")
}
