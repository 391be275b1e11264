/// Lines over a horizontal axis, as self-contained inline SVG.
struct LinePlot {
  struct Line {
    let name: String
    /// The points in order of x; a missing value breaks the line.
    let points: [(x: Double, y: Double?)]
  }

  /// The vertical axis.
  enum Axis {
    /// From 0, with ticks up to the largest value.
    case linear((_ largest: Double) -> AxisTicks)
    /// Each power of ten has the same height; values of 0 or less are drawn at the bottom.
    case logarithmic
  }

  private static let width = 860.0
  private static let height = 250.0
  private static let left = 78.0
  private static let bottom = 30.0
  private static let top = 34.0
  private static let right = 30.0

  let title: String
  let lines: [Line]
  let axis: Axis
  /// Returns the labels of heights.
  let yText: (Double) -> String
  /// The labels of the horizontal axis; those beyond the lines are omitted.
  let xTicks: [(x: Double, text: String)]
  /// Vertical lines with names.
  var marks: [ReportMark] = []
  /// The end of the shaded range, which starts at the left.
  var shadedUntil: Double?

  /// The plot; empty if there is nothing to draw.
  var svg: String {
    let points = lines.flatMap(\.points)
    guard let right = points.map(\.x).max(), let leftmost = points.map(\.x).min(),
      right > leftmost, let highest = points.compactMap(\.y).max()
    else { return "" }
    let lowest = points.compactMap(\.y).filter { $0 > 0 }.min() ?? 1
    let scale = Scale(x: min(0, leftmost)...right, heights: heights(lowest, highest))
    let body =
      shade(scale) + grid(scale) + markLines(scale)
      + lines.indices.map { path($0, scale) }.joined() + legend
    return """
      <figure><figcaption>\(HTMLEscaping.escaped(title))</figcaption>
      <svg viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" role="img" \
      aria-label="\(HTMLEscaping.escaped(title))">\(body)</svg></figure>

      """
  }

  private func heights(_ lowest: Double, _ highest: Double) -> Heights {
    switch axis {
    case .linear(let ticks): Heights.linear(ticks(highest))
    case .logarithmic: Heights.logarithmic(LogTicks(from: lowest, upTo: highest))
    }
  }

  private enum Heights {
    case linear(AxisTicks)
    case logarithmic(LogTicks)

    var ticks: [Double] {
      switch self {
      case .linear(let ticks): ticks.values
      case .logarithmic(let ticks): ticks.values
      }
    }

    /// Returns the fraction of the height, 0 at the bottom.
    func part(of value: Double) -> Double {
      switch self {
      case .linear(let ticks): value / ticks.end
      case .logarithmic(let ticks):
        Self.log(max(value, ticks.begin) / ticks.begin) / Self.log(ticks.end / ticks.begin)
      }
    }

    /// Returns the binary logarithm of a number of at least 1, exact to a tenth of a pixel.
    private static func log(_ value: Double) -> Double {
      var (whole, rest, part, step) = (Double(value.exponent), value.significand, 0.0, 0.5)
      for _ in 0..<20 {
        rest *= rest
        if rest >= 2 {
          rest /= 2
          part += step
        }
        step /= 2
      }
      whole += part
      return whole
    }
  }

  private struct Scale {
    let x: ClosedRange<Double>
    let heights: Heights

    func across(_ x: Double) -> Double {
      let part = (x - self.x.lowerBound) / (self.x.upperBound - self.x.lowerBound)
      return LinePlot.left + part * (LinePlot.width - LinePlot.left - LinePlot.right)
    }

    func down(_ y: Double) -> Double {
      LinePlot.top + (1 - heights.part(of: y)) * (LinePlot.height - LinePlot.bottom - LinePlot.top)
    }
  }

  private func shade(_ scale: Scale) -> String {
    guard let end = shadedUntil, end > scale.x.lowerBound else { return "" }
    let width = Self.text(scale.across(min(end, scale.x.upperBound)) - Self.left)
    let height = Self.text(Self.height - Self.bottom - Self.top)
    return "<rect class=\"shade\" x=\"\(Int(Self.left))\" y=\"\(Int(Self.top))\" "
      + "width=\"\(width)\" height=\"\(height)\"/>"
  }

  private func grid(_ scale: Scale) -> String {
    var text = ""
    let end = Int(Self.width - Self.right)
    for value in scale.heights.ticks {
      let height = Self.text(scale.down(value))
      text += "<line class=\"grid\" x1=\"\(Int(Self.left))\" x2=\"\(end)\" "
      text += "y1=\"\(height)\" y2=\"\(height)\"/>"
      text += "<text x=\"\(Int(Self.left) - 8)\" y=\"\(height)\" class=\"y\">"
      text += "\(HTMLEscaping.escaped(yText(value)))</text>"
    }
    for tick in xTicks where scale.x.contains(tick.x) {
      text += "<text x=\"\(Self.text(scale.across(tick.x)))\" y=\"\(Int(Self.height) - 10)\" "
      text += "class=\"x\">\(HTMLEscaping.escaped(tick.text))</text>"
    }
    return text
  }

  private func markLines(_ scale: Scale) -> String {
    var text = ""
    for (index, mark) in marks.enumerated() where scale.x.contains(mark.seconds) {
      let place = scale.across(mark.seconds)
      // The names of adjacent marks are staggered vertically.
      let height = Int(Self.top) + 11 + index % 3 * 13
      text += "<line class=\"mark\" x1=\"\(Self.text(place))\" x2=\"\(Self.text(place))\" "
      text += "y1=\"\(Int(Self.top))\" y2=\"\(Int(Self.height - Self.bottom))\"/>"
      let isLate = place > Self.width * 0.75
      text += "<text x=\"\(Self.text(isLate ? place - 5 : place + 5))\" y=\"\(height)\" "
      text += "class=\"\(isLate ? "late" : "early")\">\(HTMLEscaping.escaped(mark.name))</text>"
    }
    return text
  }

  private func path(_ index: Int, _ scale: Scale) -> String {
    var (data, isDrawing) = ("", false)
    for point in lines[index].points {
      guard let y = point.y else {
        isDrawing = false
        continue
      }
      data += "\(isDrawing ? "L" : "M")\(Self.text(scale.across(point.x))) "
      data += Self.text(scale.down(y))
      isDrawing = true
    }
    return "<path d=\"\(data)\" class=\"\(Self.colour(index))\"/>"
  }

  private var legend: String {
    lines.indices.map { index in
      let place = Int(Self.left) + 10 + index * 150
      return "<text x=\"\(place)\" y=\"16\" class=\"legend \(Self.colour(index))\">"
        + "\(HTMLEscaping.escaped(lines[index].name))</text>"
    }.joined()
  }

  private static func colour(_ index: Int) -> String { "c\(index % ReportPalette.lineCount)" }

  private static func text(_ value: Double) -> String { Quantity.fixed(value, digits: 1) }
}
