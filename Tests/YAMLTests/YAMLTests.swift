// Tests of the room YAML.
