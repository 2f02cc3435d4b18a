@main enum Probe { static func main() {} }
