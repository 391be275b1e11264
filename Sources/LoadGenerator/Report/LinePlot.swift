/// Lines over a horizontal axis, as inline SVG that needs nothing else.
struct LinePlot {
  struct Line {
    let name: String
    /// In order of x; a point that is missing breaks the line.
    let points: [(x: Double, y: Double?)]
  }

  private static let width = 860.0
  private static let height = 240.0
  private static let left = 78.0
  private static let bottom = 30.0
  private static let top = 20.0
  private static let right = 30.0
  private static let colours = ["#2563eb", "#dc2626", "#059669", "#9333ea", "#d97706"]
  private static let gridLines = 4

  let title: String
  let lines: [Line]
  /// The labels of heights and of positions on the horizontal axis.
  let yText: (Double) -> String
  let xText: (Double) -> String

  /// The plot; empty when there is nothing to draw.
  var svg: String {
    let points = lines.flatMap(\.points)
    guard let right = points.map(\.x).max(), let leftmost = points.map(\.x).min(),
      right > leftmost, let highest = points.compactMap(\.y).max()
    else { return "" }
    let scale = Scale(
      x: leftmost...right, y: Self.roundedUp(highest), width: Self.width - Self.left - Self.right,
      height: Self.height - Self.bottom - Self.top)
    let body = grid(scale) + lines.indices.map { path($0, scale) }.joined() + legend
    return """
      <figure><figcaption>\(HTMLEscaping.escaped(title))</figcaption>
      <svg viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" role="img" \
      aria-label="\(HTMLEscaping.escaped(title))">\(body)</svg></figure>

      """
  }

  private struct Scale {
    let x: ClosedRange<Double>
    let y: Double
    let width: Double
    let height: Double

    func place(_ point: (x: Double, y: Double)) -> (x: Double, y: Double) {
      let across = (point.x - x.lowerBound) / (x.upperBound - x.lowerBound)
      return (LinePlot.left + across * width, LinePlot.top + (1 - point.y / y) * height)
    }
  }

  private func grid(_ scale: Scale) -> String {
    var text = ""
    for step in 0...Self.gridLines {
      let part = Double(step) / Double(Self.gridLines)
      let value = scale.y * part
      let height = Self.text(scale.place((scale.x.lowerBound, value)).y)
      let end = Int(Self.width - Self.right)
      text += "<line class=\"grid\" x1=\"\(Int(Self.left))\" x2=\"\(end)\" "
      text += "y1=\"\(height)\" y2=\"\(height)\"/>"
      text += "<text x=\"\(Int(Self.left) - 8)\" y=\"\(height)\" class=\"y\">"
      text += "\(HTMLEscaping.escaped(yText(value)))</text>"
      let across = scale.x.lowerBound + (scale.x.upperBound - scale.x.lowerBound) * part
      let place = Self.text(scale.place((across, 0)).x)
      text += "<text x=\"\(place)\" y=\"\(Int(Self.height) - 10)\" class=\"x\">"
      text += "\(HTMLEscaping.escaped(xText(across)))</text>"
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
      let place = scale.place((point.x, y))
      data += "\(isDrawing ? "L" : "M")\(Self.text(place.x)) \(Self.text(place.y))"
      isDrawing = true
    }
    let colour = Self.colours[index % Self.colours.count]
    return "<path d=\"\(data)\" stroke=\"\(colour)\"/>"
  }

  private var legend: String {
    lines.indices.map { index in
      let place = Int(Self.left) + 10 + index * 150
      let colour = Self.colours[index % Self.colours.count]
      return "<text x=\"\(place)\" y=\"10\" style=\"fill:\(colour)\" class=\"legend\">"
        + "\(HTMLEscaping.escaped(lines[index].name))</text>"
    }.joined()
  }

  private static func text(_ value: Double) -> String { Quantity.fixed(value, digits: 1) }

  /// The next of 1, 2, 2.5, 5 times a power of ten.
  private static func roundedUp(_ value: Double) -> Double {
    guard value > 0, value.isFinite else { return 1 }
    var power = 1.0
    while power * 10 <= value { power *= 10 }
    while power > value { power /= 10 }
    return [1, 2, 2.5, 5, 10].map { $0 * power }.first { $0 >= value } ?? value
  }
}

/// Text inside of HTML.
enum HTMLEscaping {
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
