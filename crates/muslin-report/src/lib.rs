//! Documents: what a report says, and how that looks as HTML, Markdown and SVG.
//!
//! A [`Document`] is content alone: a verdict, sections, tables, figures as numbers. [`Document::to_html`]
//! makes a page that needs nothing else, neither network nor scripts; [`Document::to_markdown`] the same
//! content as text. Numbers are [`Quantity`]s and values of cells are marked as such, so that
//! [`Document::for_release`] can leave out what the public must not see, wherever it is.

mod audience;
mod document;
mod figure;
mod html;
mod markdown;
mod quantity;
mod svg;

pub use crate::document::{Block, Cell, Document, Finding, Section, Table, Verdict, VerdictBox};
pub use crate::figure::{
    BarChart, Chart, Curve, CurveChart, Field, Figure, HeatMap, Panel, Point, PointGroup,
    ScatterPlot,
};
pub use crate::quantity::Quantity;
