export const yearRoutes = []
